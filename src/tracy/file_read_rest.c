/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections of a `.tracy` file that nobody asks for yet (file_read.h): they are passed
 * over item by item, so that what follows is found and a file's end is its end.
 */
#include "tracy/file_read_private.h"

void tw_tracy_pass_memory(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	tw_tracy_get_u64(&r->in); /* allocations */
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		uint64_t n_left;

		tw_tracy_get_u64(&r->in); /* name */
		n_left = tw_tracy_get_u64(&r->in);
		tw_tracy_in_skip(&r->in, 2 * 8); /* active, freed */
		for (; n_left > 0 && tw_tracy_goes_on(r); n_left--)
			tw_tracy_in_skip(&r->in, 8 + 8 + 3 + 3 + 8 + 8 + 2 + 2);
		tw_tracy_in_skip(&r->in, 4 * 8); /* high, low, usage, name */
	}
}

void tw_tracy_pass_callstacks(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++)
		tw_tracy_in_skip(&r->in, 8 * (uint64_t)tw_tracy_get_u16(&r->in));
	n = tw_tracy_get_u64(&r->in);
	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		unsigned n_frames;

		tw_tracy_get_u64(&r->in); /* address */
		n_frames = tw_tracy_get_u8(&r->in);
		tw_tracy_in_skip(&r->in, 3 + n_frames * (3ull + 3 + 4 + 8));
	}
}

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

void tw_tracy_pass_switches(struct tw_tracy_reader *r)
{
	uint64_t n = tw_tracy_get_u64(&r->in);
	bool has_cpu = r->version >= TW_TRACY_HAS_WAKEUP_CPU;

	for (uint64_t i = 0; i < n && tw_tracy_goes_on(r); i++) {
		tw_tracy_get_u64(&r->in); /* thread */
		tw_tracy_pass(r, 3 * 8 + 3 + 8 + has_cpu);
	}
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
