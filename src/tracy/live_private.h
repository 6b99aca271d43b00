/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the live client share; nobody else includes this. */
#ifndef TW_LIVE_PRIVATE_H
#define TW_LIVE_PRIVATE_H

#include "tracy/feed.h"
#include "tracy/live.h"
#include "tracy/net.h"
#include "tracy/tail.h"
#include "tracy/wire.h"

#define TW_QUERY_BYTES 13u
#define TW_QUERIES_MAX 16384u /* twice what a server may have under way */

/* Where viewers knock: by IPv4 and by IPv6; -1 = not there. Any viewer may knock at any
 * door; a list shows each to those of one protocol. */
struct tw_live_door {
	int fds[2];
	uint16_t port;
	uint32_t protocol;
};

struct tw_live_doors {
	unsigned n;
	struct tw_live_door at[1 + TW_NUMBERS_MAX];
};

#define TW_LIVE_KNOCKS (2 * (1 + TW_NUMBERS_MAX)) /* what to poll for them */

/* All memory of one connection: mapped when it starts, gone when it ends. */
struct tw_live_session {
	const struct tw_live_job *job;
	int peer;
	const struct tw_live_doors *doors;
	bool is_taken;	     /* by a viewer that was welcomed: others are sent away */
	bool is_over;	     /* nothing more will be written */
	bool is_gone;	     /* the peer is, or should be */
	bool has_terminated; /* the peer said that it has everything */
	uint64_t moved_ns;   /* when bytes last went either way */
	uint32_t queries_used;
	uint8_t queries[TW_QUERY_BYTES * TW_QUERIES_MAX];
	struct tw_tail tail;
	struct tw_feed feed;
	struct tw_wire wire;
};

/*
 * Serves one viewer on `peer`, which it closes. Returns true when the viewer has seen
 * the whole run. *is_over tells and is told whether the run is over.
 */
bool tw_live_serve(const struct tw_live_job *job, int peer,
		   const struct tw_live_doors *doors, int spare_fd, bool *is_over);

/* Reads queries into the session's buffer; sets is_gone at the end of the stream. */
void tw_live_receive(struct tw_live_session *session);

/* Sends all bytes, reading queries meanwhile. 0, or -errno: the peer is lost. */
int tw_live_send(void *session, const void *bytes, size_t n);

/* Waits for the peer (`events` of poll), the end of the run, or time. */
void tw_live_wait(struct tw_live_session *session, short events, uint64_t ns);

/* Answers what is in the buffer, in order. Sets is_gone for nonsense. */
void tw_live_answer(struct tw_live_session *session);

/* Hello, version, welcome. False: not a viewer that we can serve. */
bool tw_live_greet(struct tw_live_session *session);

/* Sockets; see live_socket.c. */
struct tw_live_beacon {
	int fd; /* -1 = none */
	struct sockaddr_in to;
};
/* Opens the doors: 0, or -errno and a note. */
int tw_live_listen(const struct tw_live_job *job, struct tw_live_doors *doors);
/* What tells of a knock, for poll. Returns how many entries those are: poll refuses
 * more than a process may have files. */
unsigned tw_live_watch(const struct tw_live_doors *doors,
		       struct pollfd fds[TW_LIVE_KNOCKS]);
bool tw_live_has_knocked(const struct pollfd *fds, unsigned n);
/* One who knocked, or -errno. */
int tw_live_accept(const struct tw_live_doors *doors);
void tw_live_beacon_open(struct tw_live_beacon *beacon, bool is_wide);
/* `active_s` -1: withdraw. */
void tw_live_beacon_send(const struct tw_live_beacon *beacon,
			 const struct tw_live_job *job,
			 const struct tw_live_doors *doors, int32_t active_s);

void tw_live_note(const struct tw_live_job *job, const char *before, uint64_t number,
		  const char *after);

#endif
