/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of a `.tracy` file that nobody asks for yet (file_read.h): they are passed
 * over item by item, so that what follows is found and a file's end is its end.
 */
#include "tracy/file_read_private.h"

void tw_tracy_pass_images(struct tw_tracy_reader *r)
{
	uint64_t n;

	tw_tracy_in_skip(&r->in, tw_tracy_get_u32(&r->in)); /* dictionary */
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint32_t bytes;

		tw_tracy_in_skip(&r->in, 2 + 2 + 4 + 1);
		bytes = tw_tracy_get_u32(&r->in);
		tw_tracy_in_skip(&r->in, bytes);
	}
}

void tw_tracy_pass_processors(struct tw_tracy_reader *r)
{
	tw_tracy_get_u64(&r->in);
	for (unsigned i = 0; i < TW_TRACY_CPUS && tw_tracy_goes_on(r); i++)
		tw_tracy_pass(r, 8 + 8 + 2);
	tw_tracy_pass(r, 8 + 8);
	tw_tracy_pass(r, 8 + 8 + 4 + 4);
}

void tw_tracy_pass_symbols(struct tw_tracy_reader *r)
{
	uint64_t n;

	tw_tracy_in_skip(&r->in, 2 * 8);
	tw_tracy_pass(r, 8 + 3 + 3 + 4 + 3 + 3 + 4 + 1 + 3);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u64(&r->in);
		tw_tracy_in_skip(&r->in, tw_tracy_get_u32(&r->in));
	}
	tw_tracy_pass(r, 8 + 8);
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u64(&r->in);
		for (unsigned k = 0; k < 6; k++)
			tw_tracy_pass(r, 8);
	}
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_in_skip(&r->in, tw_tracy_get_u32(&r->in));
		tw_tracy_in_skip(&r->in, tw_tracy_get_u32(&r->in));
	}
}
