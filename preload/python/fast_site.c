/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call instructions in the interpreter's text: reading, redirecting, putting back;
 * contract in fast.h. A system that forbids writable code (SELinux, PR_SET_MDWE) says
 * no, and then nothing has been changed. While arming, on the only thread.
 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sys.h"
#include "fast.h"

#define PAGE	    4096u
#define SLOT_BYTES  32u
#define REACH_BYTES (1ull << 30)
#define STEP_BYTES  (1ull << 20)

static uint8_t *text_start, *text_end;
static uint8_t *slots; /* a page within reach of the text */
static uint32_t n_slots;

struct search {
	const uint8_t *inside;
	uint8_t *start, *end;
};

static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct search *search = data;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint8_t *start = (uint8_t *)info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) ||
		    search->inside < start || search->inside >= start + p->p_memsz)
			continue;
		search->start = start;
		search->end = start + p->p_memsz;
		return 1;
	}
	return 0;
}

bool tw_py_fast_text_find(const void *inside)
{
	struct search search = {.inside = inside};

	if (!dl_iterate_phdr(look_at_object, &search))
		return false;
	text_start = search.start;
	text_end = search.end;
	return true;
}

/* With room for an instruction of five bytes before it. */
bool tw_py_fast_text_has(const uint8_t *address)
{
	return address >= text_start + 5 && address < text_end;
}

static bool try_page(uint64_t address)
{
	void *wanted = (void *)(uintptr_t)(address & ~(uint64_t)(PAGE - 1));
	void *page = (void *)tw_sys6(
		SYS_mmap, (long)wanted, PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == wanted) {
		slots = page;
		return true;
	}
	/* A kernel before 4.17 takes the address as a wish. */
	if (!tw_sys_failed(page))
		tw_sys_munmap(page, PAGE);
	return false;
}

static bool find_page(void)
{
	for (uint64_t d = STEP_BYTES; d < REACH_BYTES && !slots; d += STEP_BYTES)
		if (try_page((uintptr_t)text_end + d) ||
		    ((uintptr_t)text_start > d + (1u << 20) &&
		     try_page((uintptr_t)text_start - d)))
			break;
	return slots != NULL;
}

static bool protect(void *address, size_t bytes, int protection)
{
	return tw_sys6(SYS_mprotect, (long)address, (long)bytes, protection, 0, 0, 0) ==
	       0;
}

/* mov $site, %r11; jmp *stub */
static void write_slot(uint8_t *p, const struct tw_py_site *site, void *stub)
{
	static const uint8_t load[] = {0x49, 0xbb}, jump[] = {0xff, 0x25, 0, 0, 0, 0};

	memcpy(p, load, sizeof(load));
	memcpy(p + 2, &site, 8);
	memcpy(p + 10, jump, sizeof(jump));
	memcpy(p + 16, &stub, 8);
}

bool tw_py_fast_slot_make(struct tw_py_site *site, void *stub)
{
	if (!slots && !find_page())
		return false;
	if (!site->slot) {
		if ((n_slots + 1) * SLOT_BYTES > PAGE)
			return false;
		site->slot = slots + SLOT_BYTES * n_slots++;
	}
	if (!protect(slots, PAGE, PROT_READ | PROT_WRITE))
		return false;
	write_slot(site->slot, site, stub);
	return protect(slots, PAGE, PROT_READ | PROT_EXEC);
}

bool tw_py_fast_site_set(struct tw_py_site *site, bool is_ours)
{
	uint8_t *to = is_ours ? site->slot : site->original;
	int64_t distance = to - (site->call + 5);
	int32_t value = (int32_t)distance;
	uint8_t *page = (uint8_t *)((uintptr_t)site->call & ~(uintptr_t)(PAGE - 1));
	size_t bytes = site->call + 5 > page + PAGE ? 2 * PAGE : PAGE;

	if (distance != value ||
	    !protect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	memcpy(site->call + 1, &value, sizeof(value));
	/* Where this is refused the text stays writable, which harms nothing. */
	(void)protect(page, bytes, PROT_READ | PROT_EXEC);
	return true;
}
