/* SPDX-License-Identifier: BSD-3-Clause */
/* C++ names, friendly and hostile. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "trace/demangle.h"

TestSuite(demangle, .timeout = 60);

Test(demangle, helps_with_names_of_cpp_and_with_no_others)
{
	static char out[TW_DEMANGLED_MAX];
	struct tw_demangler *d = tw_demangler_new();

	cr_assert_eq(tw_demangle(d, "plain", out), 0);
	cr_assert_eq(tw_demangle(d, "", out), 0);
	cr_assert_eq(tw_demangle(d, "_Zwrong", out), 0);
	cr_assert_eq(tw_demangle(d, "_Z3fooi", out), 8);
	cr_assert_str_eq(out, "foo(int)");
	cr_assert_gt(tw_demangle(d, "_ZNSt6vectorIiSaIiEE9push_backERKi", out), 0);
	cr_assert_not_null(strstr(out, "::push_back(int const&)"), "%s", out);
	tw_demangler_free(d);
}

/* P<int, int>, P<that, that>, P<that, that>...: each level doubles what is printed. */
static const char *exploding(unsigned n_levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[1024];
	size_t n = (size_t)snprintf(name, sizeof(name), "_Z1f1PIiiE");

	for (unsigned i = 0; i < n_levels; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "S_IS%c_S%c_E",
				      digits[i], digits[i]);
	return name;
}

Test(demangle, gives_up_on_a_name_that_explodes)
{
	static char out[TW_DEMANGLED_MAX];
	struct tw_demangler *d = tw_demangler_new();
	time_t start = time(NULL);

	cr_assert_eq(tw_demangle(d, exploding(1), out), 44);
	cr_assert_str_eq(out, "f(P<int, int>, P<P<int, int>, P<int, int> >)");
	cr_assert_eq(tw_demangle(d, exploding(12), out), 0, "longer than allowed");
	cr_assert_gt(tw_demangle(d, exploding(2), out), 0);
	for (int i = 0; i < 20; i++)
		cr_assert_eq(tw_demangle(d, exploding(34), out), 0);
	cr_assert_lt(time(NULL) - start, 30);
	cr_assert_eq(tw_demangle(d, exploding(2), out), 0,
		     "a hostile file: no more help");
	tw_demangler_free(d);
}
