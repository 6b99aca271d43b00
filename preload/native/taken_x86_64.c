/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How x86-64 code uses a slot; contract in taken.h. All such references are relative to
 * the instruction pointer: four bytes that lead from behind themselves to the slot.
 * They are looked for at every byte, without decoding; what is not clearly a call
 * counts as a load, so a mistake leaves a call unseen and nothing else.
 */
#include "preload/native/taken.h"

#include <string.h>

static void look_at_code(const unsigned char *code, size_t bytes,
			 const struct tw_range *slots, uint8_t *uses)
{
	uintptr_t span = slots->high - slots->low;

	for (size_t i = 2; i + 4 <= bytes; i++) {
		int32_t distance;
		uintptr_t offset;

		memcpy(&distance, code + i, sizeof(distance));
		offset = (uintptr_t)(code + i + 4) + (uintptr_t)(intptr_t)distance -
			 slots->low;
		if (__builtin_expect(offset >= span, 1) || offset % 8 ||
		    !(uses[offset / 8] & TW_USE_ASKED))
			continue;
		/* ff 15: call, ff 25: jmp */
		if (code[i - 2] == 0xff && (code[i - 1] == 0x15 || code[i - 1] == 0x25))
			uses[offset / 8] |= TW_USE_CALLED;
		else
			uses[offset / 8] |= TW_USE_LOADED;
	}
}

void tw_taken_look(const struct tw_object *object, const struct tw_range *slots,
		   uint8_t *uses)
{
	for (size_t i = 0; i < object->n_headers; i++) {
		const ElfW(Phdr) *h = &object->headers[i];

		if (h->p_type == PT_LOAD && h->p_flags & PF_X && h->p_flags & PF_R)
			look_at_code((const unsigned char *)object->base + h->p_vaddr,
				     h->p_filesz, slots, uses);
	}
}
