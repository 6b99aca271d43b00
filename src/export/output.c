/* SPDX-License-Identifier: BSD-3-Clause */
/* See output.h. */
#define _GNU_SOURCE 1 /* renameat2 */
#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/part.h"

static int refuse_existing(const char *path, struct tw_fault *fault)
{
	return tw_fault_set(
		fault, -EEXIST,
		"'%s' exists: choose another name, or add --force to replace "
		"it",
		path);
}

static int check_folder(const char *path, struct tw_fault *fault)
{
	char *copy = strdup(path);
	const char *folder;
	int error = 0;

	if (!copy)
		return tw_fault_no_memory(fault);
	folder = dirname(copy);
	if (access(folder, W_OK | X_OK) < 0)
		error = tw_fault_set(
			fault, -errno,
			"cannot write to the folder '%s': %s; choose another "
			"one",
			folder, strerror(errno));
	free(copy);
	return error;
}

int tw_output_check(const char *path, bool is_forced, const char *input_path,
		    struct tw_fault *fault)
{
	struct stat output, input;

	if (stat(path, &output) < 0) {
		if (errno != ENOENT)
			return tw_fault_set(fault, -errno, "cannot write '%s': %s",
					    path, strerror(errno));
		return check_folder(path, fault);
	}
	if (S_ISDIR(output.st_mode))
		return tw_fault_set(fault, -EISDIR,
				    "'%s' is a folder: name a file in it", path);
	if (!S_ISREG(output.st_mode))
		return 0; /* nothing is replaced */
	if (input_path && stat(input_path, &input) == 0 &&
	    input.st_dev == output.st_dev && input.st_ino == output.st_ino)
		return tw_fault_set(fault, -EINVAL,
				    "'%s' is the trace itself: choose another output",
				    path);
	return is_forced ? 0 : refuse_existing(path, fault);
}

static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* A new file beside the final place: a rename within a folder cannot fail half-way. */
static int open_temporary(struct tw_output *o, struct tw_fault *fault)
{
	for (int i = 0; i < TW_PART_NAMES; i++) {
		o->temporary = tw_part_name(o->path, getpid(), i);
		if (!o->temporary)
			return tw_fault_no_memory(fault);
		/* Before it is there: a signal may come at any time. */
		tw_part_guard(o->temporary);
		o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			     0666);
		if (o->fd >= 0)
			return 0;
		tw_part_release();
		free(o->temporary);
		o->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return tw_fault_set(fault, -errno, "cannot create '%s': %s", o->path,
			    strerror(errno));
}

int tw_output_open(struct tw_output *o, const char *path, bool is_forced,
		   const char *input, struct tw_fault *fault)
{
	int error = tw_output_check(path, is_forced, input, fault);

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->is_forced = is_forced;
	if (error)
		return error;
	/* Where a link leads; a name that does not exist yet stays as it is. */
	o->path = realpath(path, NULL);
	if (!o->path)
		o->path = strdup(path);
	if (!o->path)
		return tw_fault_no_memory(fault);
	if (!is_special(o->path)) {
		error = open_temporary(o, fault);
	} else {
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (o->fd < 0)
			error = tw_fault_set(fault, -errno, "cannot open '%s': %s",
					     path, strerror(errno));
	}
	if (error)
		tw_output_abandon(o);
	return error;
}

/* Moves without replacing; where the file system cannot do that in one step, in two. */
static int move_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (access(to, F_OK) == 0)
		return -EEXIST;
	return rename(from, to) < 0 ? -errno : 0;
}

int tw_output_finish(struct tw_output *o, struct tw_fault *fault)
{
	int error = 0;

	/* Some file systems report a full disk only here. */
	if (close(o->fd) < 0 && errno != EINTR)
		error = tw_fault_set(fault, -errno, "cannot write '%s': %s", o->path,
				     strerror(errno));
	o->fd = -1;
	if (!error && o->temporary) {
		if (o->is_forced)
			error = rename(o->temporary, o->path) < 0 ? -errno : 0;
		else
			error = move_new(o->temporary, o->path);
		if (error == -EEXIST)
			refuse_existing(o->path, fault);
		else if (error)
			tw_fault_set(fault, error, "cannot create '%s': %s", o->path,
				     strerror(-error));
		tw_part_release();
		if (!error) {
			free(o->temporary);
			o->temporary = NULL;
		}
	}
	tw_output_abandon(o);
	return error;
}

void tw_output_abandon(struct tw_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->temporary) {
		unlink(o->temporary);
		tw_part_release();
	}
	free(o->temporary);
	free(o->path);
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}
