/* SPDX-License-Identifier: BSD-3-Clause */
/* Listening and being found: the sockets of the live client. See live.h. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "core/text.h"
#include "tracy/live_private.h"

#define BACKLOG		4
#define BEACON_PORT	8086
#define BEACON_VERSION	3
#define BEACON_NAME_MAX 64u

/* What a viewer's list of clients is made from; all versions from 0.9 on. */
struct beacon_message {
	uint16_t version;
	uint16_t port;
	uint32_t protocol;
	uint64_t pid;
	int32_t active_s;
	char name[BEACON_NAME_MAX];
} __attribute__((packed));

/* 0 or -errno; closes the socket when it fails. */
static int bind_and_listen(int fd, const void *address, size_t bytes)
{
	int error;

	tw_net_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	error = tw_net_bind(fd, address, bytes);
	if (!error)
		error = tw_net_listen(fd, BACKLOG);
	if (error)
		tw_sys_close(fd);
	return error;
}

static int listen4(uint16_t port, bool is_wide)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(is_wide ? INADDR_ANY : INADDR_LOOPBACK),
	};
	int fd = tw_net_socket(AF_INET, SOCK_STREAM);
	int error;

	if (fd < 0)
		return fd;
	error = bind_and_listen(fd, &address, sizeof(address));
	return error ? error : fd;
}

/* IPv6 alone: a socket for both cannot be bound to both loopback addresses. */
static int listen6(uint16_t port, bool is_wide)
{
	struct sockaddr_in6 address = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	int fd = tw_net_socket(AF_INET6, SOCK_STREAM);
	int error;

	if (fd < 0)
		return fd;
	if (!is_wide)
		address.sin6_addr.s6_addr[15] = 1;
	tw_net_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	error = bind_and_listen(fd, &address, sizeof(address));
	return error ? error : fd;
}

/* Both, or one where the machine has only that; not half of a port that is taken. */
static int open_door(struct tw_live_door *door, uint16_t port, bool is_wide)
{
	door->fds[0] = listen4(port, is_wide);
	if (door->fds[0] == -EADDRINUSE)
		return -EADDRINUSE;
	door->fds[1] = listen6(port, is_wide);
	if (door->fds[1] == -EADDRINUSE) {
		tw_sys_close(door->fds[0]);
		return -EADDRINUSE;
	}
	return door->fds[0] < 0 && door->fds[1] < 0 ? door->fds[0] : 0;
}

int tw_live_accept(const struct tw_live_doors *doors)
{
	int fd = -EAGAIN;

	for (unsigned i = 0; i < 2 * doors->n && fd < 0; i++)
		fd = tw_net_accept(doors->at[i / 2].fds[i % 2]);
	return fd;
}

unsigned tw_live_watch(const struct tw_live_doors *doors,
		       struct pollfd fds[TW_LIVE_KNOCKS])
{
	for (unsigned i = 0; i < 2 * doors->n; i++)
		fds[i] = (struct pollfd){
			.fd = doors->at[i / 2].fds[i % 2],
			.events = POLLIN,
		};
	return 2 * doors->n;
}

bool tw_live_has_knocked(const struct pollfd *fds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (fds[i].fd >= 0 && fds[i].revents)
			return true;
	return false;
}

void tw_live_note(const struct tw_live_job *job, const char *before, uint64_t number,
		  const char *after)
{
	char text[256];
	struct tw_text t = tw_text_in(text, sizeof(text));

	tw_text_add(&t, before);
	tw_text_add_u64(&t, number);
	tw_text_add(&t, after);
	tw_arena_note(job->arena, text, t.used);
}

/* The first port of `n` from `first` on that can be had. */
static int open_next(const struct tw_live_job *job, struct tw_live_doors *doors,
		     int first, int n, uint32_t protocol)
{
	struct tw_live_door *door = &doors->at[doors->n];
	int error = -EADDRINUSE;

	for (int port = first; port < first + n && port <= UINT16_MAX; port++) {
		error = open_door(door, (uint16_t)port, job->is_wide);
		if (error)
			continue;
		door->port = (uint16_t)port;
		door->protocol = protocol;
		doors->n++;
		return 0;
	}
	return error;
}

/* Doors for other protocols' lists, behind the first. */
static void open_more(const struct tw_live_job *job, struct tw_live_doors *doors)
{
	for (unsigned i = 0; job->announced && i < job->announced->n; i++) {
		uint32_t protocol = job->announced->at[i];
		int next = doors->at[doors->n - 1].port + 1;

		if (!tw_tracy_protocol_find(protocol, false))
			tw_live_note(
				job, "viewers of Tracy protocol ", protocol,
				" are not told of us: it is not one that we speak");
		else if (open_next(job, doors, next, TW_LIVE_PORTS, protocol))
			tw_live_note(job, "viewers of Tracy protocol ", protocol,
				     " are not told of us: there is no free port");
	}
}

int tw_live_listen(const struct tw_live_job *job, struct tw_live_doors *doors)
{
	bool is_any = job->port == TW_LIVE_PORT_ANY;
	int first = is_any ? TW_LIVE_PORT : job->port;
	int error = open_next(job, doors, first, is_any ? TW_LIVE_PORTS : 1,
			      tw_tracy_protocol_newest()->number);

	if (!error)
		open_more(job, doors);
	else if (is_any)
		tw_live_note(job, "no live view: no port from 8086 to ",
			     TW_LIVE_PORT + TW_LIVE_PORTS - 1,
			     " is free; -p PORT takes another, -p 0 none");
	else
		tw_live_note(job, "no live view: port ", (uint64_t)first,
			     " cannot be had; choose another with -p PORT");
	return error;
}

void tw_live_beacon_open(struct tw_live_beacon *beacon, bool is_wide)
{
	memset(beacon, 0, sizeof(*beacon));
	beacon->to.sin_family = AF_INET;
	beacon->to.sin_port = htons(BEACON_PORT);
	beacon->to.sin_addr.s_addr = htonl(is_wide ? INADDR_BROADCAST : 0x7fffffff);
	beacon->fd = tw_net_socket(AF_INET, SOCK_DGRAM);
	if (beacon->fd >= 0 && tw_net_set(beacon->fd, SOL_SOCKET, SO_BROADCAST, 1)) {
		tw_sys_close(beacon->fd);
		beacon->fd = -1;
	}
}

void tw_live_beacon_send(const struct tw_live_beacon *beacon,
			 const struct tw_live_job *job,
			 const struct tw_live_doors *doors, int32_t active_s)
{
	struct beacon_message m = {
		.version = htole16(BEACON_VERSION),
		.pid = htole64((uint64_t)tw_sys_getpid()),
		.active_s = (int32_t)htole32((uint32_t)active_s),
	};
	size_t n = strnlen(job->name, sizeof(m.name) - 1);

	memcpy(m.name, job->name, n);
	for (unsigned i = 0; i < doors->n && beacon->fd >= 0; i++) {
		m.port = htole16(doors->at[i].port);
		m.protocol = htole32(doors->at[i].protocol);
		tw_net_send_to(beacon->fd, &m,
			       offsetof(struct beacon_message, name) + n + 1,
			       &beacon->to);
	}
}
