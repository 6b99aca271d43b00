/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One viewer, from the hello to the last answer. The spool is read at the viewer's
 * speed; a viewer that takes nothing for a while is let go.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/text.h"
#include "tracy/live_private.h"

#define TURN_NS	      10000000u	   /* how often a quiet spool is looked at */
#define KEEP_ALIVE_NS 1000000000u  /* a quiet viewer hears from us so often */
#define STALL_NS      30000000000u /* a viewer may take nothing for so long */
#define STALL_END_NS  5000000000u  /* and after the run for so long */
#define DRAIN_NS      60000000000u /* last answers take at most so long */
#define QUIET_NS      10000000000u /* and come no further apart: it may be busy */
#define LINGER_NS     1000000000u

void tw_live_receive(struct tw_live_session *s)
{
	size_t room = sizeof(s->queries) - s->queries_used;
	long n;

	if (!room)
		return;
	n = tw_net_receive(s->peer, s->queries + s->queries_used, room);
	if (n > 0) {
		s->queries_used += (uint32_t)n;
		s->moved_ns = tw_clock_raw_ns();
	} else if (n != -EAGAIN && n != -EINTR) {
		s->is_gone = true;
	}
}

/* A second viewer hears at once that we are taken. */
static void refuse(const struct tw_live_doors *doors)
{
	static const uint8_t not_available = 3;
	int fd = tw_live_accept(doors);

	if (fd < 0)
		return;
	tw_net_send(fd, &not_available, 1);
	tw_net_shut_writing(fd);
	tw_sys_close(fd);
}

void tw_live_wait(struct tw_live_session *s, short events, uint64_t ns)
{
	bool has_room = s->queries_used < sizeof(s->queries);
	struct pollfd fds[2 + TW_LIVE_KNOCKS] = {
		{.fd = s->peer, .events = events},
		{.fd = s->is_over ? -1 : s->job->wake, .events = POLLIN},
	};
	unsigned n_knocks = s->is_taken ? tw_live_watch(s->doors, fds + 2) : 0;

	if (has_room)
		fds[0].events |= POLLIN;
	if (tw_net_poll(fds, 2 + n_knocks, ns) <= 0)
		return;
	if (fds[0].revents & (POLLIN | POLLERR | POLLHUP))
		tw_live_receive(s);
	if (fds[1].revents)
		s->is_over = true;
	if (tw_live_has_knocked(fds + 2, n_knocks))
		refuse(s->doors);
}

int tw_live_send(void *context, const void *bytes, size_t n)
{
	struct tw_live_session *s = context;
	const uint8_t *p = bytes;
	uint64_t start_ns = tw_clock_raw_ns();
	bool was_over = s->is_over;

	while (n && !s->is_gone) {
		long sent = tw_net_send(s->peer, p, n);
		uint64_t now = tw_clock_raw_ns();

		if (sent > 0) {
			p += sent;
			n -= (size_t)sent;
			start_ns = s->moved_ns = now;
		} else if (sent == -EAGAIN) {
			tw_live_wait(s, POLLOUT, TURN_NS * 10);
			if (s->is_over && !was_over)
				start_ns = now; /* from here on less patience */
			was_over = s->is_over;
			if (now - start_ns > (s->is_over ? STALL_END_NS : STALL_NS))
				s->is_gone = true;
		} else if (sent != -EINTR) {
			s->is_gone = true;
		}
	}
	return s->is_gone ? -EPIPE : 0;
}

/* Who is in the run as far as the file tells, before anything is sent. */
static void look_ahead(struct tw_live_session *s)
{
	struct tw_tail_block block;

	s->tail.is_meta_only = true;
	while (tw_tail_next(&s->tail, &block))
		tw_feed_meta(&s->feed, block.raw, block.n_bytes);
	s->tail.is_meta_only = false;
	tw_tail_rewind(&s->tail);
	s->feed.is_finished = false;
}

static void send_app_info(struct tw_live_session *s)
{
	struct tw_feed *feed = &s->feed;
	char *command = feed->texts + feed->command;

	for (uint32_t i = 0; i < feed->command_bytes; i++)
		if (!command[i])
			command[i] = ' ';
	if (feed->command_bytes)
		tw_wire_app_info(&s->wire, feed->first_ticks, command,
				 feed->command_bytes);
}

/* Blocks onto the wire until there is none for now. Returns true when it had any. */
static bool stream(struct tw_live_session *s)
{
	struct tw_tail_block block;
	bool has_any = false;

	while (!s->is_gone && tw_tail_next(&s->tail, &block)) {
		has_any = true;
		if (block.kind == TW_BLOCK_META)
			tw_feed_meta(&s->feed, block.raw, block.n_bytes);
		else if (block.kind == TW_BLOCK_EVENTS)
			tw_feed_events(&s->feed, block.thread, block.sequence,
				       block.raw, block.n_bytes);
		tw_live_receive(s);
		tw_live_answer(s);
	}
	tw_wire_flush(&s->wire);
	return has_any;
}

static void follow(struct tw_live_session *s)
{
	while (!s->is_gone) {
		/* Asked before the file is: what was written last is not missed. */
		bool was_over = s->is_over;
		bool has_any = stream(s);

		if (!has_any && was_over)
			return;
		if (has_any)
			continue;
		tw_live_wait(s, 0, TURN_NS);
		tw_live_answer(s);
		tw_wire_flush(&s->wire);
		if (tw_clock_raw_ns() - s->moved_ns > KEEP_ALIVE_NS) {
			tw_wire_item(&s->wire, TW_TRACY_KEEP_ALIVE, NULL, 0);
			tw_wire_flush(&s->wire);
		}
	}
}

/* Terminate, and answers until the viewer has what it wants. */
static void part(struct tw_live_session *s)
{
	uint64_t start_ns = tw_clock_raw_ns();

	tw_feed_close_all(&s->feed);
	tw_wire_item(&s->wire, TW_TRACY_TERMINATE, NULL, 0);
	tw_wire_flush(&s->wire);
	s->moved_ns = start_ns;
	while (!s->is_gone) {
		uint64_t now;

		tw_live_wait(s, 0, QUIET_NS / 10);
		tw_live_answer(s);
		tw_wire_flush(&s->wire);
		now = tw_clock_raw_ns();
		if (now - start_ns > DRAIN_NS || now - s->moved_ns > QUIET_NS)
			return;
	}
}

/* The last word may still be unread when a send tells that the peer is gone. */
static void hear_last_words(struct tw_live_session *s)
{
	tw_live_receive(s);
	for (uint32_t at = 0; at + TW_QUERY_BYTES <= s->queries_used;
	     at += TW_QUERY_BYTES) {
		int kind = tw_tracy_query_of(s->wire.protocol, s->queries[at]);

		if (kind < 0)
			return; /* nonsense, and what follows is more of it */
		if (kind == TW_TRACY_QUERY_TERMINATE)
			s->has_terminated = true;
	}
}

/* Unread queries at close would make the kernel throw away what is on its way. */
static void hang_up(struct tw_live_session *s)
{
	uint64_t deadline = tw_clock_raw_ns() + LINGER_NS;

	tw_net_shut_writing(s->peer);
	s->is_taken = false;
	s->is_gone = false;
	while (!s->is_gone && tw_clock_raw_ns() < deadline) {
		s->queries_used = 0;
		tw_live_wait(s, 0, LINGER_NS / 20);
	}
	tw_sys_close(s->peer);
}

static void note_limits(struct tw_live_session *s)
{
	char after[256];

	for (unsigned i = 0; i < TW_FEED_LOSS_COUNT; i++) {
		struct tw_text t = tw_text_in(after, sizeof(after));

		tw_text_add(&t, tw_feed_loss_words[i]);
		tw_text_add(&t, "; the file has them");
		if (s->feed.lost[i])
			tw_live_note(s->job, "the live view left out ", s->feed.lost[i],
				     after);
	}
}

static bool open_spool(struct tw_live_session *s, int spare_fd)
{
	int fd = -1;

	if (tw_tail_open(&s->tail, s->job->path, -1) == 0)
		return true;
	if (spare_fd >= 0)
		fd = (int)tw_sys6(SYS_fcntl, spare_fd, F_DUPFD_CLOEXEC, 0, 0, 0, 0);
	return fd >= 0 && tw_tail_open(&s->tail, s->job->path, fd) == 0;
}

static bool converse(struct tw_live_session *s)
{
	look_ahead(s);
	if (!tw_live_greet(s))
		return false;
	s->is_taken = true;
	s->feed.wire = &s->wire;
	send_app_info(s);
	follow(s);
	if (!s->is_gone)
		part(s);
	note_limits(s);
	/* One that left without a word may not have seen the end. */
	hear_last_words(s);
	return s->has_terminated && s->is_over;
}

bool tw_live_serve(const struct tw_live_job *job, int peer,
		   const struct tw_live_doors *doors, int spare_fd, bool *is_over)
{
	struct tw_live_session *s =
		tw_sys_mmap(sizeof(*s), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool is_served = false;

	if (tw_sys_failed(s)) {
		tw_sys_close(peer);
		return false;
	}
	/* A fork of the traced program needs no copy. */
	tw_sys_madvise(s, sizeof(*s), MADV_DONTFORK);
	s->job = job;
	s->peer = peer;
	s->doors = doors;
	s->is_over = *is_over;
	s->feed.arena = job->arena;
	s->tail.fd = -1;
	tw_net_set(peer, IPPROTO_TCP, TCP_NODELAY, 1);
	if (open_spool(s, spare_fd))
		is_served = converse(s);
	tw_tail_close(&s->tail);
	hang_up(s);
	*is_over = s->is_over;
	tw_sys_munmap(s, sizeof(*s));
	return is_served;
}
