/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Man pages in roff, one for each command, written during the build by
 * `tracewrap --generate man [COMMAND]`.
 */
#include <ctype.h>
#include <string.h>

#include "cmd/help.h"
#include "config.h"

/* Sections after OPTIONS, in the order of the page; their rows are in topics.c. */
static const char *const later_sections[] = {"EXIT STATUS", "FILES"};

/* One character so that roff prints it as it is. */
static void put_char(FILE *out, char c)
{
	switch (c) {
	case '\\':
		fputs("\\e", out);
		break;
	case '-':
		fputs("\\-", out);
		break;
	case '\'':
		fputs("\\(aq", out);
		break;
	case '^':
		fputs("\\(ha", out);
		break;
	case '~':
		fputs("\\(ti", out);
		break;
	default:
		fputc(c, out);
	}
}

/* Running text; `...` becomes bold. */
static void put_text(FILE *out, const char *text, size_t bytes)
{
	bool is_bold = false;

	if (bytes && text[0] == '.')
		fputs("\\&", out);
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '`') {
			is_bold = !is_bold;
			fputs(is_bold ? "\\fB" : "\\fR", out);
		} else {
			put_char(out, text[i]);
		}
	}
	if (is_bold)
		fputs("\\fR", out);
}

static void put_line(FILE *out, const char *text)
{
	put_text(out, text, strlen(text));
	fputc('\n', out);
}

static void put_section(FILE *out, const char *name)
{
	fprintf(out, ".SH %s%s%s\n", strchr(name, ' ') ? "\"" : "", name,
		strchr(name, ' ') ? "\"" : "");
}

/* "tracewrap-report": the page's name. */
static void page_name(const struct tw_command *command, char *buffer, size_t bytes)
{
	char *space;

	tw_command_title(command, buffer, bytes);
	space = strchr(buffer, ' ');
	if (space)
		*space = '-';
}

static void put_head(FILE *out, const struct tw_command *command)
{
	char name[32], title[32];

	page_name(command, name, sizeof(name));
	fputs(".\\\" Made from the option table by `tracewrap --generate man`.\n.TH ",
	      out);
	for (const char *p = name; *p; p++)
		put_char(out, (char)toupper((unsigned char)*p));
	fprintf(out, " 1 \"\" \"tracewrap %s\" \"User Commands\"\n", PACKAGE_VERSION);
	put_section(out, "NAME");
	put_text(out, name, strlen(name));
	fputs(" \\- ", out);
	put_line(out, command->summary);
	put_section(out, "SYNOPSIS");
	tw_command_title(command, title, sizeof(title));
	fputs(".B ", out);
	put_line(out, title);
	put_line(out, command->synopsis);
	if (command->bit == TW_CMD_RUN)
		fputs(".br\n.B tracewrap\n.I COMMAND\n[OPTIONS] ...\n", out);
}

static void put_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");

		put_text(out, text, end ? (size_t)(end - text) : strlen(text));
		fputc('\n', out);
		if (end)
			fputs(".PP\n", out);
		text = end ? end + 2 : "";
	}
}

static void put_commands(FILE *out)
{
	put_section(out, "COMMANDS");
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (!tw_commands[i].summary || tw_commands[i].bit == TW_CMD_RUN)
			continue;
		fprintf(out, ".TP\n.B %s\n", tw_commands[i].name);
		put_line(out, tw_commands[i].summary);
	}
	fputs(".PP\nReserved for later releases:", out);
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (!tw_commands[i].summary)
			fprintf(out, " %s", tw_commands[i].name);
	}
	fputs(".\nPrograms of such names are traced with\n.BR \"tracewrap \\-\\- "
	      "NAME\" .\n",
	      out);
}

static void put_options(FILE *out, unsigned bit)
{
	put_section(out, "OPTIONS");
	for (size_t i = 0; i < tw_n_options; i++) {
		char heading[96], sentence[512];

		if (!(tw_options[i].commands & bit))
			continue;
		tw_help_heading(&tw_options[i], heading, sizeof(heading));
		tw_help_sentence(&tw_options[i], sentence, sizeof(sentence));
		fputs(".TP\n.B ", out);
		put_line(out, heading + strspn(heading, " "));
		put_line(out, sentence);
	}
}

static void put_topics(FILE *out, unsigned bit, const char *section)
{
	bool is_first = true;

	for (size_t i = 0; i < tw_n_topics; i++) {
		if (!(tw_topics[i].commands & bit) ||
		    strcmp(tw_topics[i].section, section) != 0)
			continue;
		if (is_first && strcmp(section, "ENVIRONMENT") != 0)
			put_section(out, section);
		is_first = false;
		fputs(".TP\n.B ", out);
		put_line(out, tw_topics[i].term);
		put_line(out, tw_topics[i].text);
	}
}

static void put_environment(FILE *out, unsigned bit)
{
	put_section(out, "ENVIRONMENT");
	fputs("The command line wins over variables.\n"
	      "A flag is on unless its variable is empty, 0, no, off or false.\n",
	      out);
	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];
		char name[TW_VARIABLE_MAX];

		if (!(option->commands & bit) || option->has_no_variable)
			continue;
		tw_option_variable(option, name, sizeof(name));
		fprintf(out, ".TP\n.B %s\nsame as\n.B ", name);
		put_char(out, '-');
		put_char(out, '-');
		put_line(out, option->name);
		if (option->type == TW_OPTION_OUTPUT)
			fputs("(several names are separated by colons)\n", out);
		if (option->alias)
			fprintf(out, "(where it is not set, %s is obeyed)\n",
				option->alias);
	}
	put_topics(out, bit, "ENVIRONMENT");
}

static void put_examples(FILE *out, const char *text)
{
	put_section(out, "EXAMPLES");
	fputs(".nf\n", out);
	while (*text) {
		size_t line = strcspn(text, "\n");

		put_text(out, text, line);
		fputc('\n', out);
		text += line + (text[line] == '\n');
	}
	fputs(".fi\n", out);
}

/* Every other page: the family is small enough to name whole. */
static void put_see_also(FILE *out, const struct tw_command *self)
{
	const char *separator = "";

	put_section(out, "SEE ALSO");
	for (size_t i = 0; i < tw_n_commands; i++) {
		char name[32];

		if (!tw_commands[i].summary || &tw_commands[i] == self)
			continue;
		page_name(&tw_commands[i], name, sizeof(name));
		fprintf(out, "%s.BR ", separator);
		put_text(out, name, strlen(name));
		fputs(" (1)", out);
		separator = " ,\n";
	}
	fputc('\n', out);
}

static bool has_topics(unsigned bit, const char *section)
{
	for (size_t i = 0; i < tw_n_topics; i++) {
		if ((tw_topics[i].commands & bit) &&
		    strcmp(tw_topics[i].section, section) == 0)
			return true;
	}
	return false;
}

static bool has_variables(unsigned bit)
{
	for (size_t i = 0; i < tw_n_options; i++) {
		if ((tw_options[i].commands & bit) && !tw_options[i].has_no_variable)
			return true;
	}
	return has_topics(bit, "ENVIRONMENT");
}

void tw_manual_print(FILE *out, const struct tw_command *command)
{
	put_head(out, command);
	put_section(out, "DESCRIPTION");
	put_paragraphs(out, command->details);
	if (command->bit == TW_CMD_RUN)
		put_commands(out);
	put_options(out, command->bit);
	if (has_variables(command->bit))
		put_environment(out, command->bit);
	for (size_t i = 0; i < sizeof(later_sections) / sizeof(char *); i++)
		put_topics(out, command->bit, later_sections[i]);
	put_examples(out, command->examples);
	put_topics(out, command->bit, "LIMITS");
	put_see_also(out, command);
}
