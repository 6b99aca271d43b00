/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handshake: the viewer says which protocol it speaks, and we pick that version's
 * table and welcome it. See live_private.h.
 */
#include <endian.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "config.h"
#include "core/text.h"
#include "tracy/live_private.h"

#define HELLO_NS     2000000000u /* a viewer that means it says hello in time */
#define CALIBRATE_NS 200000000u	 /* two looks at the clocks, at least so far apart */

#define HELLO_BYTES 12
static const char hello_magic[8] = "TracyPrf";

enum answer { ANSWER_WELCOME = 1, ANSWER_MISMATCH = 2 };

#define NAME_BYTES 64
#define HOST_BYTES 1024
#define CPU_BYTES  12

/* Reads the hello; false when it does not come or is another's. */
static bool hear_hello(struct tw_live_session *s, uint32_t *protocol)
{
	uint64_t deadline = tw_clock_raw_ns() + HELLO_NS;

	while (s->queries_used < HELLO_BYTES && !s->is_gone) {
		if (tw_clock_raw_ns() > deadline)
			return false;
		tw_live_wait(s, POLLIN, HELLO_NS / 10);
		if (memcmp(s->queries, hello_magic,
			   s->queries_used < 8 ? s->queries_used : 8) != 0)
			return false;
	}
	if (s->queries_used < HELLO_BYTES)
		return false;
	memcpy(protocol, s->queries + 8, sizeof(*protocol));
	*protocol = le32toh(*protocol);
	s->queries_used -= HELLO_BYTES;
	memmove(s->queries, s->queries + HELLO_BYTES, s->queries_used);
	return true;
}

static void note_mismatch(struct tw_live_session *s, uint32_t protocol)
{
	char text[256];
	struct tw_text t = tw_text_in(text, sizeof(text));

	tw_text_add(&t, "a viewer of Tracy protocol ");
	tw_text_add_u64(&t, protocol);
	tw_text_add(&t, " was turned away: this tracewrap speaks ");
	tw_text_add_u64(&t, tw_tracy_protocols[0]->number);
	tw_text_add(&t, " (");
	tw_text_add(&t, tw_tracy_protocols[0]->releases);
	tw_text_add(&t, ") to ");
	tw_text_add_u64(&t, tw_tracy_protocol_newest()->number);
	tw_text_add(&t, " (");
	tw_text_add(&t, tw_tracy_protocol_newest()->releases);
	tw_text_add(&t, ")");
	tw_arena_note(s->job->arena, text, t.used);
}

/* Nanoseconds a tick: from the first anchor of the run to now. */
static double tick_ns(struct tw_live_session *s)
{
	const struct tw_feed *feed = &s->feed;
	enum tw_clock_kind kind = s->job->arena->clock_kind;
	struct tw_clock_anchor now = tw_clock_anchor_take(kind);

	if (kind == TW_CLOCK_KIND_RAW || !feed->first_anchor_ns)
		return 1.0;
	while (now.monotonic_ns - feed->first_anchor_ns < CALIBRATE_NS) {
		tw_sys_sleep_ns(CALIBRATE_NS -
				(now.monotonic_ns - feed->first_anchor_ns));
		now = tw_clock_anchor_take(kind);
	}
	return (double)(now.monotonic_ns - feed->first_anchor_ns) /
	       (double)(now.ticks - feed->first_anchor_ticks);
}

/* A welcome is written field after field: versions differ in one in the middle. */
struct pen {
	uint8_t *at;
};

static void put(struct pen *pen, const void *bytes, size_t n)
{
	memcpy(pen->at, bytes, n);
	pen->at += n;
}

static void put64(struct pen *pen, uint64_t v)
{
	v = htole64(v);
	put(pen, &v, sizeof(v));
}

/* CPU architecture, maker and model, as Tracy numbers them. */
static void put_cpu(struct pen *pen)
{
	char maker[CPU_BYTES] = "";
	uint32_t id = 0;
	uint8_t arch = 4; /* arm64 */
#if defined(__x86_64__)
	unsigned a = 0, b = 0, c = 0, d = 0;

	arch = 2;
	if (__get_cpuid(0, &a, &b, &c, &d)) {
		memcpy(maker, &b, 4);
		memcpy(maker + 4, &d, 4);
		memcpy(maker + 8, &c, 4);
	}
	if (__get_cpuid(1, &a, &b, &c, &d))
		id = (a & 0xfff) | (a & 0xfff0000) >> 4;
#endif
	put(pen, &arch, 1);
	put(pen, maker, sizeof(maker));
	id = htole32(id);
	put(pen, &id, sizeof(id));
}

static void put_host(struct pen *pen)
{
	char text[HOST_BYTES];
	struct tw_text t = tw_text_in(text, sizeof(text));
	struct utsname host;

	memset(text, 0, sizeof(text));
	tw_text_add(&t, "Recorded by: tracewrap " PACKAGE_VERSION "\n");
	if (tw_sys6(SYS_uname, (long)&host, 0, 0, 0, 0, 0) == 0) {
		tw_text_add(&t, "OS: ");
		tw_text_add(&t, host.sysname);
		tw_text_add(&t, " ");
		tw_text_add(&t, host.release);
		tw_text_add(&t, "\nHost: ");
		tw_text_add(&t, host.nodename);
		tw_text_add(&t, "\nArch: ");
		tw_text_add(&t, host.machine);
		tw_text_add(&t, "\n");
	}
	put(pen, text, sizeof(text));
}

static int send_welcome(struct tw_live_session *s,
			const struct tw_tracy_protocol *protocol)
{
	uint8_t bytes[1 + 2048] = {ANSWER_WELCOME};
	struct pen pen = {bytes + 1};
	struct tw_feed *feed = &s->feed;
	char name[NAME_BYTES] = "";
	double mul = tick_ns(s);
	uint64_t mul_bits;

	feed->tick_ns = mul;
	memcpy(&mul_bits, &mul, sizeof(mul_bits));
	put64(&pen, mul_bits);
	/* Begin and end of start-up; tools cannot bear a run of no length. */
	put64(&pen, feed->first_ticks);
	put64(&pen, feed->first_ticks + (uint64_t)(1 / mul) + 1);
	if (protocol->has_delay)
		put64(&pen, 0); /* cost of an event: for people to read only */
	put64(&pen, 1);		/* resolution, in ticks */
	put64(&pen, feed->first_wall_ns / 1000000000u);
	put64(&pen, 0); /* no time of the executable: no questions about its code */
	put64(&pen, feed->root_pid);
	put64(&pen, 0);	    /* no sampling */
	put(&pen, "\0", 1); /* flags: the whole run comes, nothing on demand */
	put_cpu(&pen);
	memcpy(name, s->job->name, strnlen(s->job->name, sizeof(name) - 1));
	put(&pen, name, sizeof(name));
	put_host(&pen);
	return tw_live_send(s, bytes, (size_t)(pen.at - bytes));
}

bool tw_live_greet(struct tw_live_session *s)
{
	const struct tw_tracy_protocol *protocol;
	uint8_t mismatch = ANSWER_MISMATCH;
	uint32_t number;

	if (!hear_hello(s, &number))
		return false;
	protocol = tw_tracy_protocol_find(number, s->job->is_fork);
	if (!protocol) {
		tw_live_send(s, &mismatch, 1);
		note_mismatch(s, number);
		return false;
	}
	tw_wire_init(&s->wire, protocol, tw_live_send, s);
	return send_welcome(s, protocol) == 0;
}
