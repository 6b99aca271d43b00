/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns of names: core/glob.h. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/glob.h"

static bool matches(const char *pattern, const char *text)
{
	return tw_glob_matches(pattern, strlen(pattern), text);
}

Test(glob, plain_text_matches_itself_only)
{
	cr_assert(matches("app.model", "app.model"));
	cr_assert(!matches("app.model", "app.models"));
	cr_assert(!matches("app.models", "app.model"));
	cr_assert(matches("", ""));
	cr_assert(!matches("", "a"));
	cr_assert(!matches("a", ""));
}

Test(glob, a_star_stands_for_any_text)
{
	cr_assert(matches("*", ""));
	cr_assert(matches("*", "anything"));
	cr_assert(matches("app.*", "app."));
	cr_assert(matches("*.forward", "Model.forward"));
	cr_assert(matches("*/lib/*.py", "/usr/lib/python3/lib/x.py"));
	cr_assert(!matches("*/lib/*.py", "/usr/lib/python3/lib/x.pyc"));
	cr_assert(matches("a*b*c", "aXbXbXc"));
	cr_assert(!matches("a*b*c", "aXbX"));
	cr_assert(matches("***", "x"));
}

Test(glob, a_question_mark_stands_for_one_byte)
{
	cr_assert(matches("layer?", "layer1"));
	cr_assert(!matches("layer?", "layer"));
	cr_assert(!matches("layer?", "layer12"));
	cr_assert(matches("?*", "x"));
	cr_assert(!matches("?*", ""));
}

Test(glob, only_n_bytes_of_the_pattern_count)
{
	cr_assert(tw_glob_matches("app,other", 3, "app"));
	cr_assert(!tw_glob_matches("app,other", 4, "app"));
	cr_assert(tw_glob_matches("a*,b", 2, "abc"));
}

Test(glob, many_stars_end_soon)
{
	char text[4096];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	cr_assert(!matches("*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

Test(glob, sets_match_one_character_of_theirs)
{
	cr_assert(matches("cl[A-Z]*", "clEnqueue"));
	cr_assert_not(matches("cl[A-Z]*", "close"));
	cr_assert(matches("[!a-c]x", "dx"));
	cr_assert_not(matches("[!a-c]x", "bx"));
	cr_assert(matches("[^a]", "b"));
	cr_assert(matches("[]]", "]"));
	cr_assert(matches("[a-]", "-"));
	cr_assert(matches("x[", "x["), "a set without an end is a character");
	cr_assert_not(matches("[ab]", "ab"));
}
