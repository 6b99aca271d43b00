/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `tracewrap ctl PID start|stop|mark TEXT`: steers a recording from outside. PID may be
 * that of tracewrap, of any process it traces, or of a program under a bare LD_PRELOAD.
 * The request goes into shared memory; the pump obeys and writes it down.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/command.h"
#include "core/arena.h"
#include "core/sys.h"

#define ANSWER_NS 2000000000u
#define STEP_NS	  1000000u

/* The control block, mapped, and how much of it must be kicked. */
struct target {
	struct tw_control *control;
	struct tw_arena
		*arena; /* NULL under a bare LD_PRELOAD: its pump looks by itself */
};

/* Finds a descriptor of `pid` whose name begins with `name`; its path into buffer. */
static bool find_descriptor(int pid, const char *name, char *buffer, size_t bytes)
{
	char folder[64], link[PATH_MAX];
	struct dirent *entry;
	bool is_found = false;
	DIR *d;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	d = opendir(folder);
	while (d && !is_found && (entry = readdir(d))) {
		ssize_t n;

		snprintf(buffer, bytes, "%s/%s", folder, entry->d_name);
		n = readlink(buffer, link, sizeof(link) - 1);
		if (n <= 0)
			continue;
		link[n] = '\0';
		is_found = strncmp(link, name, strlen(name)) == 0 &&
			   (link[strlen(name)] == ' ' || !link[strlen(name)]);
	}
	if (d)
		closedir(d);
	return is_found;
}

/* TRACEWRAP_SESSION as the process was started with it. */
static bool find_session(int pid, char *buffer, size_t bytes)
{
	static const char key[] = "TRACEWRAP_SESSION=";
	char path[64];
	char *line = NULL;
	size_t room = 0;
	bool is_found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	while (f && !is_found && getdelim(&line, &room, '\0', f) > 0) {
		is_found = strncmp(line, key, sizeof(key) - 1) == 0;
		if (is_found)
			snprintf(buffer, bytes, "%s", line + sizeof(key) - 1);
	}
	free(line);
	if (f)
		fclose(f);
	return is_found;
}

/* The pump of a bare LD_PRELOAD shows a page named after its program's pid. */
static bool find_pump(int pid, char *buffer, size_t bytes)
{
	char name[64];
	struct dirent *entry;
	bool is_found = false;
	DIR *d = opendir("/proc");

	snprintf(name, sizeof(name), "/memfd:tracewrap-ctl-%d", pid);
	while (d && !is_found && (entry = readdir(d))) {
		char path[300], comm[32] = "";
		FILE *f;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) &&
		    strncmp(comm, "tracewrap-pump", 14) == 0)
			is_found = find_descriptor(atoi(entry->d_name), name, buffer,
						   bytes);
		fclose(f);
	}
	if (d)
		closedir(d);
	return is_found;
}

static bool map_control(struct target *target, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct tw_control *control = MAP_FAILED;

	if (fd >= 0) {
		control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (control == MAP_FAILED || control->magic != TW_ARENA_MAGIC)
		return false;
	target->control = control;
	return true;
}

static bool map_arena(struct target *target, const char *path)
{
	struct tw_view view;

	if (tw_arena_join(&view, path))
		return false;
	target->arena = view.arena;
	target->control = &view.arena->control;
	return true;
}

static bool find_target(struct target *target, int pid)
{
	char path[PATH_MAX];

	if (find_descriptor(pid, "/memfd:tracewrap", path, sizeof(path)) &&
	    map_arena(target, path))
		return true;
	if (find_session(pid, path, sizeof(path)) && map_arena(target, path))
		return true;
	return find_pump(pid, path, sizeof(path)) && map_control(target, path);
}

static bool wait_until(_Atomic uint32_t *word, uint32_t wanted, struct target *target)
{
	for (uint64_t waited = 0; waited < ANSWER_NS; waited += STEP_NS) {
		if (atomic_load(word) == wanted)
			return true;
		if (target->arena)
			tw_arena_kick(target->arena);
		tw_sys_sleep_ns(STEP_NS);
	}
	return false;
}

static bool send_gate(struct target *target, uint32_t request)
{
	atomic_store(&target->control->gate_request, request);
	return wait_until(&target->control->gate_request, 0, target);
}

static bool send_mark(struct target *target, const char *text)
{
	struct tw_mark *mark = &target->control->mark;
	uint32_t is_free = 0;
	size_t n = strlen(text);

	if (!wait_until(&mark->state, 0, target) ||
	    !atomic_compare_exchange_strong(&mark->state, &is_free, 1))
		return false;
	mark->ticks = tw_clock_ticks(target->control->clock_kind);
	mark->bytes = (uint32_t)(n < TW_MARK_MAX ? n : TW_MARK_MAX);
	memcpy(mark->text, text, mark->bytes);
	atomic_store(&mark->state, 2);
	return wait_until(&mark->state, 0, target);
}

int tw_cmd_ctl(const struct tw_config *config, int n, char **operands)
{
	struct target target = {0};
	char *end;
	long pid;
	bool is_obeyed;

	(void)config;
	if (n < 2 || (strcmp(operands[1], "mark") == 0 ? n != 3 : n != 2) ||
	    (strcmp(operands[1], "start") && strcmp(operands[1], "stop") &&
	     strcmp(operands[1], "mark"))) {
		tw_complain("usage: tracewrap ctl PID start|stop|mark TEXT");
		return TW_EXIT_FAULT;
	}
	errno = 0;
	pid = strtol(operands[0], &end, 10);
	if (errno || *end || pid <= 0 || pid > INT_MAX) {
		tw_complain("'%s' is not a process number", operands[0]);
		return TW_EXIT_FAULT;
	}
	if (!find_target(&target, (int)pid)) {
		tw_complain(
			"process %ld is not recorded by tracewrap, or is not yours; "
			"start it with: tracewrap --disabled PROGRAM",
			pid);
		return TW_EXIT_FAULT;
	}
	is_obeyed =
		strcmp(operands[1], "mark") == 0
			? send_mark(&target, operands[2])
			: send_gate(&target, strcmp(operands[1], "start") == 0 ? 1 : 2);
	if (!is_obeyed) {
		tw_complain(
			"the recording of process %ld does not answer; has it ended?",
			pid);
		return TW_EXIT_FAULT;
	}
	return TW_EXIT_OK;
}
