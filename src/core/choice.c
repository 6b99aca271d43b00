/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From options to the text that processes of a run read; contract in choice.h.
 */
#include "core/choice.h"

#include <string.h>

#include "core/pattern.h"
#include "core/sys.h"
#include "core/text.h"

static void fill_patterns(char *to, size_t bytes, const struct tw_patterns *patterns)
{
	struct tw_text t = tw_text_in(to, bytes);

	for (unsigned i = 0; i < patterns->n; i++) {
		tw_text_add(&t, i ? "," : "");
		tw_text_add(&t, patterns->items[i]);
	}
}

static void fill_path(char *to, size_t bytes, const char *path)
{
	struct tw_text t = tw_text_in(to, bytes);

	if (!path)
		return;
	if (path[0] != '/' &&
	    tw_sys6(SYS_getcwd, (long)to, (long)bytes, 0, 0, 0, 0) > 0) {
		t.used = strlen(to);
		tw_text_add(&t, "/");
	}
	tw_text_add(&t, path);
}

void tw_choice_fill(struct tw_choice *choice, const struct tw_config *config)
{
	fill_patterns(choice->traced, sizeof(choice->traced), &config->traced);
	fill_patterns(choice->untraced, sizeof(choice->untraced), &config->untraced);
	fill_path(choice->hooks_from, sizeof(choice->hooks_from), config->hooks_from);
	fill_path(choice->list_hooks, sizeof(choice->list_hooks), config->list_hooks);
}

bool tw_choice_is_any(const struct tw_choice *choice)
{
	return choice->traced[0] || choice->hooks_from[0];
}

bool tw_choice_has(const struct tw_choice *choice, const char *library,
		   const char *function)
{
	return tw_pattern_matches(choice->traced, library, function) &&
	       !tw_pattern_matches(choice->untraced, library, function);
}
