/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file header of a spool (format.h): is this file one, and may it be read? Every
 * answer but yes is a sentence that says what to do next. Part of spool_read.c.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/spool_foreign.h"
#include "trace/spool_private.h"

#define HEADER_MAX 4096u /* a later minor version may have a longer file header */

static bool has_right_checksum(const struct tw_file_header *h)
{
	return XXH3_64bits(h, offsetof(struct tw_file_header, checksum)) ==
	       le64toh(h->checksum);
}

static int is_newer(struct tw_spool *s, struct tw_fault *fault)
{
	return tw_fault_set(
		fault, -EPROTONOSUPPORT,
		"'%s' was written by a newer tracewrap (format %u.%u); this "
		"one reads up to %u.x: update tracewrap",
		s->path, le16toh(s->header.major), le16toh(s->header.minor),
		TW_FORMAT_MAJOR);
}

/* Decides what a file without a right header is. A damaged header costs only itself:
 * when a block stands where the first one belongs, the file is read. */
static int read_without_header(struct tw_spool *s, size_t n, struct tw_fault *fault)
{
	static const char magic[] = TW_FILE_MAGIC;
	const size_t n_magic = n < TW_FILE_MAGIC_BYTES ? n : TW_FILE_MAGIC_BYTES;
	bool is_ours = memcmp(s->header.magic, magic, n_magic) == 0;
	struct tw_block block;

	if (n == 0)
		return tw_fault_set(
			fault, -ENODATA,
			"'%s' is empty: nothing was recorded, or the disk was "
			"full; record again",
			s->path);
	if (is_ours && n < sizeof(s->header))
		return tw_fault_set(
			fault, -ENODATA,
			"'%s' was cut inside its header (%zu bytes), nothing "
			"is left in it; copy it again or record again",
			s->path, n);
	if (n == sizeof(s->header) &&
	    tw_spool_examine(s, sizeof(s->header), &block) == TW_SPOOL_GOOD) {
		s->damage.is_header = true;
		memset(&s->header, 0, sizeof(s->header));
		return 0;
	}
	if (is_ours && le16toh(s->header.major) > TW_FORMAT_MAJOR)
		return is_newer(s, fault);
	if (is_ours)
		return tw_fault_set(fault, -EBADMSG,
				    "'%s' has a damaged header and no block after it; "
				    "copy it again or record again",
				    s->path);
	return tw_fault_set(fault, -ENOEXEC, "'%s' is not a tracewrap spool: %s",
			    s->path,
			    tw_spool_foreign((const unsigned char *)&s->header, n));
}

int tw_spool_read_header(struct tw_spool *s, struct tw_fault *fault)
{
	const uint8_t *at;
	uint32_t header_bytes;
	ssize_t n = tw_spool_peek(s, 0, sizeof(s->header), &at);

	if (n < 0)
		return tw_spool_read_failed(s, (int)n, fault);
	if (n > (ssize_t)sizeof(s->header))
		n = sizeof(s->header);
	memcpy(&s->header, at, (size_t)n);
	s->first = sizeof(s->header);
	if ((size_t)n < sizeof(s->header) || !has_right_checksum(&s->header) ||
	    memcmp(s->header.magic, TW_FILE_MAGIC, TW_FILE_MAGIC_BYTES) != 0)
		return read_without_header(s, (size_t)n, fault);
	if (le16toh(s->header.major) > TW_FORMAT_MAJOR)
		return is_newer(s, fault);
	header_bytes = le32toh(s->header.header_bytes);
	if (header_bytes >= sizeof(s->header) && header_bytes <= HEADER_MAX)
		s->first = header_bytes;
	return 0;
}
