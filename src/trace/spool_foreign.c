/* SPDX-License-Identifier: BSD-3-Clause */
/* See spool_foreign.h. To recognise one more kind of file: one row. */
#include "trace/spool_foreign.h"

#include <string.h>

#define MANGLED                                                                        \
	"it was one, but a transfer in text mode changed its bytes; copy it again in " \
	"binary mode"

/* clang-format off */
static const struct {
	const char *start;
	size_t n_bytes;
	const char *what;
} kinds[] = {
#define ROW(start, what) { start, sizeof(start) - 1, what }
	/* our own magic after CR LF -> LF, LF -> CR LF, bit 7 lost, Latin-1 -> UTF-8 */
	ROW("\x89TW\n", MANGLED),
	ROW("\x89TW\r\r\n", MANGLED),
	ROW("\x09TW\r", MANGLED),
	ROW("\x09TW\n", MANGLED),
	ROW("\xc2\x89TW", MANGLED),
	ROW("\xef\xbf\xbdTW", MANGLED),
	ROW("\x1f\x8b", "it is compressed with gzip; unpack it with 'gunzip' first"),
	ROW("BZh", "it is compressed with bzip2; unpack it with 'bunzip2' first"),
	ROW("\xfd" "7zXZ", "it is compressed with xz; unpack it with 'unxz' first"),
	ROW("\x28\xb5\x2f\xfd", "it is compressed with zstd; unpack it with 'unzstd' first"),
	ROW("\x04\x22\x4d\x18", "it is compressed with lz4; unpack it with 'unlz4' first"),
	ROW("PK\x03\x04", "it is a zip archive; unpack it with 'unzip' first"),
	ROW("SQLite format 3", "it is an SQLite database; open it with 'sqlite3'"),
	ROW("PERFILE2", "it is a perf recording; read it with 'perf report'"),
	ROW("\x7f" "ELF", "it is a program; record it with 'tracewrap' first"),
	ROW("#!", "it is a script; record it with 'tracewrap' first"),
	ROW("<!DOCTYPE", "it is an HTML page; open it in a browser"),
	ROW("<html", "it is an HTML page; open it in a browser"),
	ROW("{", "it looks like JSON, perhaps an export; name the .tw file itself"),
	ROW("[", "it looks like JSON, perhaps an export; name the .tw file itself"),
	ROW("name,", "it looks like CSV, perhaps an export; name the .tw file itself"),
#undef ROW
};
/* clang-format on */

const char *tw_spool_foreign(const unsigned char *start, size_t n_bytes)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (n_bytes >= kinds[i].n_bytes &&
		    memcmp(start, kinds[i].start, kinds[i].n_bytes) == 0)
			return kinds[i].what;
	return "name a file that 'tracewrap PROGRAM' wrote";
}
