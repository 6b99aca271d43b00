/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Help, man pages and completion say everything the tables hold.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/help.h"

static char *text_of_command(void (*print)(FILE *, const struct tw_command *),
			     const struct tw_command *command)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	cr_assert_not_null(out);
	print(out, command);
	cr_assert_eq(fclose(out), 0);
	return text;
}

static void print_completion(FILE *out, const struct tw_command *command)
{
	(void)command;
	tw_completion_print(out);
}

/* roff writes '-' as "\-": taken out, so that texts can be compared. */
static char *without_backslashes(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\\')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

/* Words of `text` in order, whatever breaks the lines between them. */
static bool has_words(const char *text, const char *words)
{
	for (; *text; text++) {
		const char *a = text, *b = words;

		while (*a && *b && (*a == *b || (*b == ' ' && *a == '\n'))) {
			if (*b == ' ')
				a += strspn(a, " \n");
			else
				a++;
			b++;
		}
		if (!*b)
			return true;
	}
	return false;
}

Test(help, every_option_is_in_help_with_its_bounds)
{
	for (size_t i = 0; i < tw_n_commands; i++) {
		const struct tw_command *command = &tw_commands[i];
		char *text;

		if (!command->summary)
			continue;
		text = text_of_command(tw_help_print, command);
		for (size_t k = 0; k < tw_n_options; k++) {
			char heading[96], sentence[512];
			bool is_ours = tw_options[k].commands & command->bit;

			tw_help_heading(&tw_options[k], heading, sizeof(heading));
			tw_help_sentence(&tw_options[k], sentence, sizeof(sentence));
			cr_assert_eq(is_ours, has_words(text, sentence), "%s: %s",
				     command->name, sentence);
			if (is_ours)
				cr_assert(
					has_words(text, heading + strspn(heading, " ")),
					"%s: %s", command->name, heading);
		}
		free(text);
	}
}

Test(help, fits_eighty_columns)
{
	for (size_t i = 0; i < tw_n_commands; i++) {
		char *text, *line, *rest;

		if (!tw_commands[i].summary)
			continue;
		text = rest = text_of_command(tw_help_print, &tw_commands[i]);
		while ((line = strsep(&rest, "\n")))
			cr_assert_leq(strlen(line), 80, "%s", line);
		free(text);
	}
}

Test(help, bounded_memory_is_promised)
{
	char *text = text_of_command(tw_help_print, tw_command_find("run"));

	cr_assert(has_words(text, "Memory is bounded in every mode"));
	cr_assert(has_words(text, "default 256M"));
	cr_assert(has_words(text, "default 4G"));
	free(text);
}

Test(help, every_command_is_named)
{
	char *help = text_of_command(tw_help_print, tw_command_find("run"));
	char *manual = text_of_command(tw_manual_print, tw_command_find("run"));

	for (size_t i = 0; i < tw_n_commands; i++) {
		const struct tw_command *command = &tw_commands[i];

		cr_assert_not_null(strstr(manual, command->name), "%s", command->name);
		if (command->summary && command->bit != TW_CMD_RUN)
			cr_assert(has_words(help, command->summary), "%s",
				  command->name);
	}
	free(help);
	free(manual);
}

Test(help, every_option_and_variable_is_in_the_manual)
{
	for (size_t i = 0; i < tw_n_commands; i++) {
		const struct tw_command *command = &tw_commands[i];
		char *text;

		if (!command->summary)
			continue;
		text = without_backslashes(text_of_command(tw_manual_print, command));
		for (size_t k = 0; k < tw_n_options; k++) {
			char heading[96], variable[TW_VARIABLE_MAX + 8];
			bool is_ours = tw_options[k].commands & command->bit;

			tw_help_heading(&tw_options[k], heading, sizeof(heading));
			strcpy(variable, "\n.B ");
			tw_option_variable(&tw_options[k], variable + 4,
					   TW_VARIABLE_MAX);
			strcat(variable, "\n");
			if (is_ours && !tw_options[k].has_no_variable)
				cr_assert_not_null(strstr(text, variable), "%s: %s",
						   command->name, variable);
			if (is_ours)
				cr_assert(
					has_words(text, heading + strspn(heading, " ")),
					"%s: %s", command->name, heading);
		}
		free(text);
	}
}

Test(help, manual_has_its_sections)
{
	static const char *const sections[] = {
		"NAME",	       "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT",
		"EXIT STATUS", "FILES",	   "EXAMPLES",	  "LIMITS",  "SEE ALSO",
	};
	char *text = text_of_command(tw_manual_print, tw_command_find("run"));
	const char *at = text;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		char heading[32];

		snprintf(heading, sizeof(heading),
			 strchr(sections[i], ' ') ? ".SH \"%s\"\n" : ".SH %s\n",
			 sections[i]);
		at = strstr(at, heading);
		cr_assert_not_null(at, "%s is missing or out of order", sections[i]);
	}
	free(text);
}

Test(help, roff_never_sees_a_control_line_by_accident)
{
	for (size_t i = 0; i < tw_n_commands; i++) {
		char *text, *line, *rest;

		if (!tw_commands[i].summary)
			continue;
		text = rest = text_of_command(tw_manual_print, &tw_commands[i]);
		while ((line = strsep(&rest, "\n"))) {
			cr_assert_neq(line[0], '\'', "%s", line);
			if (line[0] == '.')
				cr_assert(strchr("STBPnfbI\\", line[1]), "%s", line);
		}
		free(text);
	}
}

Test(help, every_option_and_choice_is_completed)
{
	char *text = text_of_command(print_completion, NULL);

	for (size_t i = 0; i < tw_n_options; i++) {
		char word[96];

		snprintf(word, sizeof(word), "--%s ", tw_options[i].name);
		cr_assert_not_null(strstr(text, word), "%s", word);
		if (tw_options[i].letter) {
			snprintf(word, sizeof(word), "-%c ", tw_options[i].letter);
			cr_assert_not_null(strstr(text, word), "%s", word);
		}
		if (tw_options[i].choices) {
			snprintf(word, sizeof(word), "'%s'", tw_options[i].choices);
			for (char *p = word; *p; p++)
				*p = *p == '|' ? ' ' : *p;
			cr_assert_not_null(strstr(text, word), "%s", word);
		}
	}
	for (size_t i = 0; i < tw_n_commands; i++) {
		char word[64];

		snprintf(word, sizeof(word), "\t%s) options='", tw_commands[i].name);
		cr_assert_eq(tw_commands[i].summary != NULL, strstr(text, word) != NULL,
			     "%s", tw_commands[i].name);
	}
	free(text);
}

Test(help, topics_belong_to_known_sections)
{
	static const char *const known[] = {"ENVIRONMENT", "EXIT STATUS", "FILES",
					    "LIMITS"};

	for (size_t i = 0; i < tw_n_topics; i++) {
		bool is_known = false;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			is_known |= strcmp(tw_topics[i].section, known[k]) == 0;
		cr_assert(is_known, "%s", tw_topics[i].section);
	}
}
