/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns of -t and -T: globs, lists, the libraries that must be named, and how the
 * options collect them.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "cmd/arguments.h"
#include "core/choice.h"
#include "core/pattern.h"

Test(pattern, lists_need_both_sides_of_each_colon)
{
	cr_assert(tw_pattern_is_valid("libz.so.1:deflate"));
	cr_assert(tw_pattern_is_valid("libz*:*,libssl*:SSL_*"));
	cr_assert_not(tw_pattern_is_valid(""));
	cr_assert_not(tw_pattern_is_valid("libz"));
	cr_assert_not(tw_pattern_is_valid(":deflate"));
	cr_assert_not(tw_pattern_is_valid("libz:"));
	cr_assert_not(tw_pattern_is_valid("libz:*,"));
	cr_assert_not(tw_pattern_is_valid(",libz:*"));
	cr_assert_not(tw_pattern_is_valid("libz:*,,libm:*"));
}

Test(pattern, a_library_may_be_named_without_its_ending)
{
	cr_assert(tw_pattern_matches("libz:*", "libz.so.1", "deflate"));
	cr_assert(tw_pattern_matches("libz.so.1:*", "libz.so.1", "deflate"));
	cr_assert(tw_pattern_matches("libz*:def*", "libz.so.1", "deflate"));
	cr_assert_not(tw_pattern_matches("libz:*", "libzstd.so.1", "deflate"));
	cr_assert_not(tw_pattern_matches("libz:inf*", "libz.so.1", "deflate"));
	cr_assert_not(tw_pattern_matches("lib[z]:*", "libz.so.1", "deflate"),
		      "with a wildcard the whole name counts");
	cr_assert(tw_pattern_matches("liba:*,libz:*", "libz.so.1", "deflate"));
	cr_assert_not(tw_pattern_matches("", "libz.so.1", "deflate"));
}

Test(pattern, the_c_library_and_the_loader_must_be_named)
{
	cr_assert_not(tw_pattern_matches("*:*", "libc.so.6", "malloc"));
	cr_assert_not(tw_pattern_matches("lib*:*", "libc.so.6", "malloc"));
	cr_assert_not(tw_pattern_matches("libc*:*", "libc.so.6", "malloc"),
		      "libc* is libcurl and libcrypto");
	cr_assert_not(
		tw_pattern_matches("*:*", "ld-linux-x86-64.so.2", "__tls_get_addr"));
	cr_assert(tw_pattern_matches("libc.so.6:*", "libc.so.6", "malloc"));
	cr_assert(tw_pattern_matches("libc.so*:*", "libc.so.6", "malloc"));
	cr_assert(tw_pattern_matches("libc:malloc", "libc.so.6", "malloc"));
	cr_assert(tw_pattern_matches("ld-linux*:*", "ld-linux-x86-64.so.2", "x"));
	cr_assert(tw_pattern_matches("*:*", "libcrypto.so.3", "EVP_Digest"));
}

Test(pattern, parts_are_told_apart)
{
	static const char list[] = "liba:*,lib?:x,libb:x";
	size_t bytes;

	cr_assert_eq(tw_pattern_hits(list, "libb.so", "x"), 4);
	cr_assert_eq(tw_pattern_hits("lib?.so:x,libb:x", "libb.so", "x"), 3);
	cr_assert_eq(tw_pattern_hits(list, "libc.so.6", "x"), 0);
	cr_assert_eq(strncmp(tw_pattern_part(list, 1, &bytes), "lib?:x", 6), 0);
	cr_assert_eq(bytes, 6);
	cr_assert_null(tw_pattern_part(list, 3, &bytes));
}

Test(pattern, a_function_is_known_when_some_library_would_do)
{
	cr_assert(tw_pattern_knows("liba:x*,libb:y", "y"));
	cr_assert(tw_pattern_knows("liba:x*,libb:y", "xy"));
	cr_assert_not(tw_pattern_knows("liba:x*,libb:y", "z"));
}

static int parse(int argc, const char **argv, const char **environment,
		 struct tw_arguments *out)
{
	char *copy[16] = {0};

	for (int i = 0; i < argc; i++)
		copy[i] = (char *)argv[i];
	return tw_arguments_parse(argc, copy, (char *const *)environment, out);
}

Test(pattern, options_collect_what_is_traced_and_what_is_not)
{
	const char *argv[] = {"tracewrap", "-t", "libz:*,libssl:*", "--trace",
			      "libm:*",	   "-T", "libz:crc*",	    "program"};
	const char *environment[] = {NULL};
	static struct tw_arguments out;
	static struct tw_choice choice;

	cr_assert_eq(parse(8, argv, environment, &out), 0);
	tw_choice_fill(&choice, &out.config);
	cr_assert_str_eq(choice.traced, "libz:*,libssl:*,libm:*");
	cr_assert_str_eq(choice.untraced, "libz:crc*");
	cr_assert(tw_choice_is_any(&choice));
	cr_assert(tw_choice_has(&choice, "libz.so.1", "deflate"));
	cr_assert_not(tw_choice_has(&choice, "libz.so.1", "crc32"));
	cr_assert(tw_choice_has(&choice, "libm.so.6", "sin"));
}

Test(pattern, the_command_line_replaces_the_environment)
{
	const char *argv[] = {"tracewrap", "-t", "libm:*", "program"};
	const char *environment[] = {"TRACEWRAP_TRACE=libz:*",
				     "TRACEWRAP_NO_TRACE=libz:crc32", NULL};
	static struct tw_arguments out;

	cr_assert_eq(parse(4, argv, environment, &out), 0);
	cr_assert_eq(out.config.traced.n, 1);
	cr_assert_str_eq(out.config.traced.items[0], "libm:*");
	cr_assert_eq(out.config.untraced.n, 1);
	cr_assert_str_eq(out.config.untraced.items[0], "libz:crc32");
}

Test(pattern, too_much_text_is_refused_before_it_is_cut)
{
	static char longest[TW_PATTERNS_BYTES + 1];
	struct tw_config config;
	const struct tw_option *row = NULL;

	for (size_t i = 0; i < tw_n_options; i++)
		if (strcmp(tw_options[i].name, "trace") == 0)
			row = &tw_options[i];
	cr_assert_not_null(row);
	tw_config_init(&config);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[1] = ':';
	longest[TW_PATTERNS_BYTES] = '\0';
	cr_assert_eq(tw_option_set(row, &config, longest), -ENOSPC);
	longest[TW_PATTERNS_BYTES - 1] = '\0';
	cr_assert_eq(tw_option_set(row, &config, longest), 0);
	cr_assert_eq(tw_option_set(row, &config, "a:b"), -ENOSPC);
	cr_assert_eq(tw_option_set(row, &config, "nothing"), -EINVAL);
}

Test(pattern, file_names_become_absolute)
{
	static struct tw_choice choice;
	struct tw_config config;

	tw_config_init(&config);
	config.hooks_from = "list";
	config.list_hooks = "/tmp/list";
	tw_choice_fill(&choice, &config);
	cr_assert_eq(choice.hooks_from[0], '/');
	cr_assert_str_eq(strrchr(choice.hooks_from, '/'), "/list");
	cr_assert_str_eq(choice.list_hooks, "/tmp/list");
}
