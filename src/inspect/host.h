/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts of the machine and of our own process that decide whether recording works.
 * Used by doctor only: the command, main thread.
 */
#ifndef TW_HOST_H
#define TW_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_HOST_UNKNOWN (-1)

struct tw_host {
	char kernel[72]; /* release, "6.1.0-18-amd64" */
	unsigned kernel_major;
	unsigned kernel_minor;
	unsigned glibc_minor; /* of the running glibc 2.N */
	bool has_proc;
	int seccomp;	  /* 0 off, 1 strict, 2 filter; TW_HOST_UNKNOWN */
	int no_new_privs; /* 0, 1; TW_HOST_UNKNOWN */
	int memfd_error;  /* errno of memfd_create; 0 = works */
	int shm_error;	  /* errno of making a file in /dev/shm; 0 = works */
	uint64_t shm_free_bytes;
	int ptrace_scope;	      /* yama; TW_HOST_UNKNOWN = not there */
	char clock_source[32];	      /* the kernel's; "" = unknown */
	uint64_t address_space_bytes; /* limits; UINT64_MAX = none */
	uint64_t file_bytes;
	uint64_t n_files;
};

void tw_host_read(struct tw_host *out);

/*
 * May a file be made in `folder`, and how much fits? Makes none where it can be known
 * otherwise. Returns 0 or -errno.
 */
int tw_host_folder(const char *folder, uint64_t *free_bytes)
	__attribute__((warn_unused_result));

#endif
