/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets without libc, for the live client: as core/sys.h, every call returns -errno
 * and touches no thread-local memory. Any thread.
 */
#ifndef TW_NET_H
#define TW_NET_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "core/sys.h"

static inline int tw_net_socket(int family, int type)
{
	return (int)tw_sys6(SYS_socket, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
			    0, 0, 0);
}

static inline int tw_net_set(int fd, int level, int name, int value)
{
	return (int)tw_sys6(SYS_setsockopt, fd, level, name, (long)&value,
			    sizeof(value), 0);
}

static inline int tw_net_bind(int fd, const void *address, size_t bytes)
{
	return (int)tw_sys6(SYS_bind, fd, (long)address, (long)bytes, 0, 0, 0);
}

static inline int tw_net_listen(int fd, int backlog)
{
	return (int)tw_sys6(SYS_listen, fd, backlog, 0, 0, 0, 0);
}

static inline int tw_net_accept(int fd)
{
	return (int)tw_sys6(SYS_accept4, fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0);
}

static inline long tw_net_send(int fd, const void *bytes, size_t n)
{
	return tw_sys6(SYS_sendto, fd, (long)bytes, (long)n,
		       MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
}

static inline long tw_net_send_to(int fd, const void *bytes, size_t n,
				  const struct sockaddr_in *to)
{
	return tw_sys6(SYS_sendto, fd, (long)bytes, (long)n,
		       MSG_NOSIGNAL | MSG_DONTWAIT, (long)to, sizeof(*to));
}

static inline long tw_net_receive(int fd, void *bytes, size_t n)
{
	return tw_sys6(SYS_recvfrom, fd, (long)bytes, (long)n, MSG_DONTWAIT, 0, 0);
}

static inline int tw_net_shut_writing(int fd)
{
	return (int)tw_sys6(SYS_shutdown, fd, SHUT_WR, 0, 0, 0, 0);
}

/* Entries with fd -1 are skipped. Returns how many are ready; 0 = time is up. */
static inline int tw_net_poll(struct pollfd *fds, unsigned n, uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
			     .tv_nsec = (long)(ns % 1000000000u)};

	return (int)tw_sys6(SYS_ppoll, (long)fds, n, (long)&t, 0, 8, 0);
}

#endif
