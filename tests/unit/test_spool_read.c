/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The block reader: whole files, cut files, damaged files, files of other people, and
 * files that grow while they are read.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spool_builder.h"
#include "trace/spool_read.h"

TestSuite(spool_read, .init = spool_folder_make, .fini = spool_folder_remove,
	  .timeout = 300);

static struct tw_fault fault;

/* Five blocks of both kinds and codecs; `ends` gets the file's size after each. */
static struct bytes five_blocks(size_t ends[5])
{
	struct bytes file = {0};
	struct payload p = {0};

	put_prelude(&file, 1000);
	ends[0] = file.n;
	put_start(&p, 1000, 0);
	put_begin(&p, 10, 1);
	put_end(&p, 300);
	put_events_block(&file, &p, 1);
	ends[1] = file.n;
	put_start(&p, 2000, 0);
	put_begin(&p, 1, 2);
	put_block(&file, &p, TW_BLOCK_EVENTS, TW_CODEC_RAW, 1);
	ends[2] = file.n;
	put_start(&p, 3000, 1);
	put_end(&p, 5);
	put_events_block(&file, &p, 1);
	ends[3] = file.n;
	put_finish(&file, 9000);
	ends[4] = file.n;
	return file;
}

static struct tw_spool *open_spool(const char *path)
{
	struct tw_spool *spool = NULL;

	cr_assert_eq(tw_spool_open(&spool, path, &fault), 0, "%s", fault.text);
	return spool;
}

/* Reads to the end; returns the number of blocks, all of which must unpack. */
static int count_blocks(struct tw_spool *spool)
{
	struct tw_block block;
	int n = 0, more;

	while ((more = tw_spool_next(spool, &block, &fault)) > 0) {
		cr_assert_not_null(tw_spool_unpack(spool, &block, UINT32_MAX));
		n++;
	}
	cr_assert_eq(more, 0, "%s", fault.text);
	return n;
}

static void expect_refusal(const char *path, int error, const char *words)
{
	struct tw_spool *spool;

	cr_expect_eq(tw_spool_open(&spool, path, &fault), error);
	cr_expect_null(spool);
	cr_expect_not_null(strstr(fault.text, words), "said: %s", fault.text);
	cr_expect_null(strchr(fault.text, '\n'));
}

static void expect_refusal_of(const void *bytes, size_t n, int error, const char *words)
{
	char *path = spool_path("refused.tw");

	spool_save_at(path, bytes, n);
	expect_refusal(path, error, words);
}

Test(spool_read, gives_every_block_with_its_payload)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	struct tw_spool *spool = open_spool(spool_save(&file, "x.tw"));
	struct tw_block block;
	const uint8_t *raw;

	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(block.kind, TW_BLOCK_META);
	cr_assert_eq(block.offset, 64);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(block.kind, TW_BLOCK_EVENTS);
	cr_assert_eq(block.thread, 1);
	cr_assert_eq(block.n_records, 2);
	raw = tw_spool_unpack(spool, &block, UINT32_MAX);
	cr_assert_not_null(raw);
	cr_assert_arr_eq(raw, "\xe8\x03\0\0\0\0\0\0\0\x15\x01\xd8\x04", 13);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(block.codec, TW_CODEC_RAW);
	raw = tw_spool_unpack(spool, &block, 8);
	cr_assert_arr_eq(raw, "\xd0\x07\0\0\0\0\0\0", 8);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	raw = tw_spool_unpack(spool, &block, 8);
	cr_assert_arr_eq(raw, "\xb8\x0b\0\0\0\0\0\0", 8, "only the start is unpacked");
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 0);
	cr_assert_eq(tw_spool_damage(spool)->n_places, 0);
	cr_assert_eq(tw_spool_damage(spool)->tail_bytes, 0);
	cr_assert_eq(tw_spool_header(spool)->session, 0x1122334455667788);
	tw_spool_close(spool);
}

Test(spool_read, reads_a_file_cut_at_any_byte_to_its_last_whole_block)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_save(&file, "cut.tw");

	for (size_t n = file.n; n-- > 0;) {
		struct tw_spool *spool;
		int whole = 0;

		cr_assert_eq(truncate(path, (off_t)n), 0);
		if (n < sizeof(struct tw_file_header)) {
			expect_refusal(path, -ENODATA,
				       n ? "was cut inside its header" : "is empty");
			continue;
		}
		while (whole < 5 && ends[whole] <= n)
			whole++;
		spool = open_spool(path);
		cr_assert_eq(count_blocks(spool), whole, "cut to %zu bytes", n);
		cr_assert_eq(tw_spool_damage(spool)->tail_bytes,
			     n - (whole ? ends[whole - 1] : 64));
		cr_assert_eq(tw_spool_damage(spool)->n_places, 0);
		tw_spool_close(spool);
	}
}

Test(spool_read, loses_only_the_block_in_which_a_bit_is_wrong)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_save(&file, "flip.tw");

	for (size_t at = 0; at < file.n; at++) {
		for (unsigned bit = 0; bit < 8; bit += at % 2 ? 1 : 3) {
			const struct tw_spool_damage *damage;
			struct tw_spool *spool;
			int n;

			file.at[at] ^= (uint8_t)(1u << bit);
			spool_save_at(path, file.at, file.n);
			file.at[at] ^= (uint8_t)(1u << bit);
			spool = open_spool(path);
			n = count_blocks(spool);
			damage = tw_spool_damage(spool);
			cr_assert_eq(n, at < 64 ? 5 : 4, "byte %zu, bit %u: %d blocks",
				     at, bit, n);
			cr_assert_eq(damage->is_header, at < 64);
			if (at >= ends[3])
				cr_assert_eq(damage->tail_bytes, file.n - ends[3]);
			else
				cr_assert_eq(damage->n_places, at < 64 ? 0 : 1);
			tw_spool_close(spool);
		}
	}
}

Test(spool_read, counts_the_bytes_between_good_blocks)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends), dirty = {0};
	struct tw_spool *spool;
	char noise[5000];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = "TWB1"[i % 4]; /* false starts in plenty */
	put_bytes(&dirty, file.at, ends[1]);
	put_bytes(&dirty, noise, sizeof(noise));
	put_bytes(&dirty, file.at + ends[1], file.n - ends[1]);
	spool = open_spool(spool_save(&dirty, "dirty.tw"));
	cr_assert_eq(count_blocks(spool), 5);
	cr_assert_eq(tw_spool_damage(spool)->n_places, 1);
	cr_assert_eq(tw_spool_damage(spool)->bytes, sizeof(noise));
	tw_spool_close(spool);
}

Test(spool_read, survives_thousands_of_random_changes)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_path("random.tw");
	uint8_t *copy = malloc(file.n);
	int n_opened = 0;

	cr_assert_not_null(copy);
	srand(1);
	for (int round = 0; round < 4000; round++) {
		struct tw_spool *spool;
		struct tw_block block;
		size_t n = file.n - (size_t)rand() % 40;

		memcpy(copy, file.at, file.n);
		for (int i = rand() % 6; i >= 0; i--)
			copy[(size_t)rand() % file.n] = (uint8_t)rand();
		spool_save_at(path, copy, n);
		if (tw_spool_open(&spool, path, &fault) < 0) {
			cr_assert_null(spool);
			continue;
		}
		n_opened++;
		for (int i = 0; tw_spool_next(spool, &block, &fault) > 0; i++) {
			cr_assert_lt(i, 5);
			tw_spool_unpack(spool, &block, UINT32_MAX);
		}
		tw_spool_close(spool);
	}
	free(copy);
	cr_assert_gt(n_opened, 2000, "most are still read: %d", n_opened);
}

Test(spool_read, gives_up_in_time_on_a_file_of_false_blocks)
{
	/* Each of a million headers claims a megabyte: checked all, that is a terabyte.
	 */
	struct tw_block_header h = {.magic = TW_BLOCK_MAGIC,
				    .kind = TW_BLOCK_EVENTS,
				    .codec = TW_CODEC_LZ4,
				    .stored_bytes = TW_BLOCK_RAW_MAX,
				    .raw_bytes = TW_BLOCK_RAW_MAX};
	struct bytes file = {0};
	struct tw_spool *spool;
	clock_t start;

	put_file_header(&file, 1, 0);
	for (int i = 0; i < 1000000; i++)
		put_bytes(&file, &h, sizeof(h));
	spool = open_spool(spool_save(&file, "false.tw"));
	start = clock();
	cr_assert_eq(count_blocks(spool), 0);
	cr_assert_lt(clock() - start, 8 * CLOCKS_PER_SEC);
	cr_assert_eq(tw_spool_damage(spool)->tail_bytes, file.n - 64);
	tw_spool_close(spool);
}

Test(spool_read, follows_a_file_that_grows_byte_by_byte)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_path("grows.tw");
	struct tw_spool *spool;
	struct tw_block block;
	FILE *f = fopen(path, "wb");
	int n_blocks = 0;

	cr_assert_not_null(f);
	setbuf(f, NULL);
	cr_assert_eq(fwrite(file.at, 1, 64, f), 64);
	spool = open_spool(path);
	for (size_t n = 64; n < file.n; n++) {
		int more = tw_spool_next(spool, &block, &fault);

		cr_assert_eq(more, n_blocks < 5 && ends[n_blocks] == n, "at %zu", n);
		n_blocks += more;
		cr_assert_eq(fwrite(file.at + n, 1, 1, f), 1);
	}
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(n_blocks, 4);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 0);
	cr_assert_eq(tw_spool_damage(spool)->tail_bytes, 0);
	cr_assert_eq(tw_spool_damage(spool)->n_places, 0);
	tw_spool_close(spool);
	fclose(f);
}

Test(spool_read, sees_a_block_that_is_written_into_reserved_room)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_path("reserved.tw");
	struct tw_spool *spool;
	struct tw_block block;
	FILE *f;

	/* A writer may have asked for room beforehand: zeros that become blocks. */
	spool_save_at(path, file.at, 64);
	cr_assert_eq(truncate(path, (off_t)file.n), 0);
	spool = open_spool(path);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 0);
	cr_assert_eq(tw_spool_damage(spool)->tail_bytes, file.n - 64);
	f = fopen(path, "r+b");
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(file.at, 1, ends[0], f), ends[0]);
	cr_assert_eq(fclose(f), 0);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 0);
	tw_spool_close(spool);
}

Test(spool_read, finds_a_block_across_the_edge_of_its_buffer)
{
	/* The buffer holds the first 2 MiB of the file when the search begins. */
	for (size_t before = 0; before < 6; before++) {
		size_t n_noise = (2u << 20) - 64 - before;
		uint8_t *noise = calloc(1, n_noise);
		struct bytes file = {0};
		struct tw_spool *spool;

		cr_assert_not_null(noise);
		put_file_header(&file, 1, 0);
		put_bytes(&file, noise, n_noise);
		put_finish(&file, 1);
		spool = open_spool(spool_save(&file, "edge.tw"));
		cr_assert_eq(count_blocks(spool), 1, "%zu bytes before the edge",
			     before);
		cr_assert_eq(tw_spool_damage(spool)->bytes, n_noise);
		tw_spool_close(spool);
		free(noise);
	}
}

Test(spool_read, sees_the_same_blocks_again_after_the_file_grew)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	char *path = spool_path("again.tw");
	struct tw_spool *spool;

	spool_save_at(path, file.at, ends[2] + 7);
	spool = open_spool(path);
	cr_assert_eq(count_blocks(spool), 3);
	spool_save_at(path, file.at, file.n);
	tw_spool_rewind(spool);
	cr_assert_eq(count_blocks(spool), 3);
	tw_spool_close(spool);
}

Test(spool_read, ends_in_order_when_the_file_is_cut_under_it)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_spool *spool;
	struct tw_block block;
	char *path;

	put_file_header(&file, 1, 0);
	for (int i = 0; i < 40; i++) {
		char noise[200000];

		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (char)rand();
		put_bytes(&p.bytes, noise, sizeof(noise));
		put_block(&file, &p, 77, TW_CODEC_RAW, 0);
	}
	path = spool_save(&file, "shrinks.tw");
	spool = open_spool(path);
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(truncate(path, 100), 0);
	for (int i = 1; tw_spool_next(spool, &block, &fault) > 0; i++)
		cr_assert_lt(i, 40, "only what was in memory already");
	tw_spool_close(spool);
}

Test(spool_read, gives_blocks_of_kinds_that_it_does_not_know)
{
	struct bytes file = {0};
	struct payload p = {0};
	struct tw_spool *spool;
	struct tw_block block;

	put_file_header(&file, 1, 7);
	put_bytes(&p.bytes, "future", 6);
	put_block(&file, &p, 9, TW_CODEC_RAW, 0);
	spool = open_spool(spool_save(&file, "minor.tw"));
	cr_assert_eq(tw_spool_next(spool, &block, &fault), 1);
	cr_assert_eq(block.kind, 9);
	tw_spool_close(spool);
}

Test(spool_read, takes_sizes_beyond_the_bounds_for_damage)
{
	static const struct tw_block_header wild[] = {
		{.kind = 1, .codec = 0, .stored_bytes = 5, .raw_bytes = 4},
		{.kind = 1,
		 .codec = 0,
		 .stored_bytes = 0xffffffff,
		 .raw_bytes = 0xffffffff},
		{.kind = 1, .codec = 1, .stored_bytes = 5, .raw_bytes = (1 << 20) + 1},
		{.kind = 1, .codec = 1, .stored_bytes = 0x80000000, .raw_bytes = 5},
		{.kind = 1, .codec = 2, .stored_bytes = 5, .raw_bytes = 5},
	};

	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		struct bytes file = {0};
		struct tw_spool *spool;

		put_file_header(&file, 1, 0);
		put_block_as(&file, &wild[i], "12345", 5);
		put_finish(&file, 1);
		spool = open_spool(spool_save(&file, "wild.tw"));
		cr_assert_eq(count_blocks(spool), 1, "row %zu", i);
		cr_assert_eq(tw_spool_damage(spool)->bytes, 32 + 5, "row %zu", i);
		tw_spool_close(spool);
	}
}

Test(spool_read, counts_payloads_that_do_not_unpack)
{
	/* Checksum right, LZ4 wrong; then right LZ4 of another length than was said. */
	static const struct tw_block_header liars[] = {
		{.kind = 1, .codec = 1, .stored_bytes = 5, .raw_bytes = 100},
		{.kind = 1, .codec = 1, .stored_bytes = 5, .raw_bytes = 5},
		{.kind = 1, .codec = 1, .stored_bytes = 5, .raw_bytes = 3},
		{.kind = 1, .codec = 1, .stored_bytes = 0, .raw_bytes = 3},
	};
	static const char *const stored[] = {"\xff\xff\xff\xff\xff",
					     "\x40"
					     "abcd",
					     "\x40"
					     "abcd",
					     ""};

	for (size_t i = 0; i < sizeof(liars) / sizeof(liars[0]); i++) {
		struct bytes file = {0};
		struct tw_spool *spool;
		struct tw_block block;

		put_file_header(&file, 1, 0);
		put_block_as(&file, &liars[i], stored[i], liars[i].stored_bytes);
		spool = open_spool(spool_save(&file, "liar.tw"));
		cr_assert_eq(tw_spool_next(spool, &block, &fault), 1, "row %zu", i);
		cr_assert_null(tw_spool_unpack(spool, &block, UINT32_MAX), "row %zu",
			       i);
		cr_assert_eq(tw_spool_damage(spool)->n_places, 1);
		tw_spool_close(spool);
	}
}

Test(spool_read, refuses_a_newer_major_version_and_says_update)
{
	struct bytes file = {0};

	put_file_header(&file, 3, 2);
	expect_refusal_of(
		file.at, file.n, -EPROTONOSUPPORT,
		"was written by a newer tracewrap (format 3.2); this one reads up "
		"to 1.x: update tracewrap");
	/* Its header may be checked in another way. */
	file.at[60] ^= 1;
	expect_refusal_of(file.at, file.n, -EPROTONOSUPPORT, "update tracewrap");
}

Test(spool_read, says_what_a_foreign_file_is_and_what_to_do)
{
#define ROW(bytes, words)                                                              \
	{                                                                              \
		bytes, sizeof(bytes) - 1, words                                        \
	}
	static const struct {
		const char *bytes;
		size_t n;
		const char *words;
	} rows[] = {
		ROW("\x1f\x8b\x08 and so on", "gunzip"),
		ROW("\x28\xb5\x2f\xfdzzzz", "unzstd"),
		ROW("\177ELF\2\1\1", "record it with 'tracewrap' first"),
		ROW("{\"traceEvents\":[]}", "JSON"),
		ROW("hello, world\n", "not a tracewrap spool"),
		ROW("x", "not a tracewrap spool"),
		ROW("\x89PNG\r\n\x1a\n", "not a tracewrap spool"),
	};
#undef ROW

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_refusal_of(rows[i].bytes, rows[i].n, -ENOEXEC, rows[i].words);
}

/* Applies what a transfer in text mode does. */
static struct bytes mangle(struct bytes file, bool adds_cr, bool drops_cr,
			   bool drops_bit)
{
	struct bytes out = {0};

	for (size_t i = 0; i < file.n; i++) {
		uint8_t byte = file.at[i];

		if (drops_cr && byte == '\r' && i + 1 < file.n &&
		    file.at[i + 1] == '\n')
			continue;
		if (adds_cr && byte == '\n')
			put_bytes(&out, "\r", 1);
		if (drops_bit)
			byte &= 0x7f;
		put_bytes(&out, &byte, 1);
	}
	return out;
}

Test(spool_read, notices_a_transfer_in_text_mode)
{
	size_t ends[5];
	struct bytes file = five_blocks(ends);
	struct bytes a = mangle(file, true, false, false);
	struct bytes b = mangle(file, false, true, false);
	struct bytes c = mangle(file, false, false, true);

	expect_refusal_of(a.at, a.n, -ENOEXEC, "text mode");
	expect_refusal_of(b.at, b.n, -ENOEXEC, "text mode");
	expect_refusal_of(c.at, c.n, -ENOEXEC, "text mode");
}

Test(spool_read, refuses_what_is_no_readable_file)
{
	char *fifo = spool_path("fifo");

	expect_refusal(spool_path("missing.tw"), -ENOENT, "No such file");
	expect_refusal(spool_path(""), -EISDIR, "is a folder");
	expect_refusal("/dev/null", -ESPIPE, "not a regular file");
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	expect_refusal(fifo, -ESPIPE, "not a regular file");
	expect_refusal_of("", 0, -ENODATA, "is empty");
}

Test(spool_read, refuses_a_file_without_the_right_to_read_it)
{
	char *path = spool_path("secret.tw");
	struct tw_spool *spool;

	spool_save_at(path, "x", 1);
	cr_assert_eq(chmod(path, 0), 0);
	if (getuid() == 0)
		cr_assert_eq(seteuid(65534), 0);
	cr_expect_eq(tw_spool_open(&spool, path, &fault), -EACCES);
	cr_expect_null(spool);
	cr_expect_not_null(strstr(fault.text, "Permission denied"));
	if (getuid() == 0)
		cr_assert_eq(seteuid(0), 0);
}

Test(spool_read, keeps_the_fault_on_one_line_for_any_path)
{
	expect_refusal(spool_path("new\nline\x1b[31m"), -ENOENT, "new?line?[31m");
}
