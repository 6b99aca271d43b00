/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --help. Text for people on a terminal of 80 columns.
 */
#include "cmd/help.h"

#include <string.h>

#include "cmd/arguments.h"

#define COLUMNS	    79
#define TERM_COLUMN 28 /* where the text of an option or command begins */

/* Prints words from `column` on, broken before COLUMNS, later lines indented. */
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
	while (*text) {
		size_t word = strcspn(text, " ");

		if (column > indent && column + 1 + (int)word > COLUMNS) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)word, text);
		column += (int)word;
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* "  term          text": a term too long for its column gets a line of its own. */
static void print_row(FILE *out, const char *term, const char *text)
{
	int n = fprintf(out, "  %s", term);

	if (n >= TERM_COLUMN - 1)
		fprintf(out, "\n%*s", TERM_COLUMN, "");
	else
		fprintf(out, "%*s", TERM_COLUMN - n, "");
	print_wrapped(out, text, TERM_COLUMN, TERM_COLUMN);
}

static void print_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		char paragraph[1024];

		snprintf(paragraph, sizeof(paragraph), "%.*s",
			 end ? (int)(end - text) : (int)strlen(text), text);
		print_wrapped(out, paragraph, 0, 0);
		fputc('\n', out);
		text = end ? end + 2 : "";
	}
}

void tw_help_heading(const struct tw_option *option, char *buffer, size_t bytes)
{
	const char *value = option->argument ? option->argument : option->choices;

	snprintf(buffer, bytes, "%c%c%s--%s%s%s", option->letter ? '-' : ' ',
		 option->letter ? option->letter : ' ', option->letter ? ", " : "  ",
		 option->name, value ? " " : "", value ? value : "");
}

void tw_help_sentence(const struct tw_option *option, char *buffer, size_t bytes)
{
	char bounds[128];

	tw_option_bounds(option, bounds, sizeof(bounds));
	if (*bounds)
		snprintf(buffer, bytes, "%s (%s)", option->help, bounds);
	else
		snprintf(buffer, bytes, "%s", option->help);
}

static void print_options(FILE *out, unsigned bit)
{
	fputs("Options:\n", out);
	for (size_t i = 0; i < tw_n_options; i++) {
		char heading[96], sentence[512];

		if (!(tw_options[i].commands & bit))
			continue;
		tw_help_heading(&tw_options[i], heading, sizeof(heading));
		tw_help_sentence(&tw_options[i], sentence, sizeof(sentence));
		print_row(out, heading, sentence);
	}
}

static void print_commands(FILE *out)
{
	fputs("Commands:\n", out);
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (tw_commands[i].summary && tw_commands[i].bit != TW_CMD_RUN)
			print_row(out, tw_commands[i].name, tw_commands[i].summary);
	}
	fputc('\n', out);
}

static void print_topics(FILE *out, unsigned bit, const char *section,
			 const char *title)
{
	const char *heading = title;

	for (size_t i = 0; i < tw_n_topics; i++) {
		if (!(tw_topics[i].commands & bit) ||
		    strcmp(tw_topics[i].section, section) != 0)
			continue;
		if (heading)
			fprintf(out, "\n%s:\n", heading);
		heading = NULL;
		print_row(out, tw_topics[i].term, tw_topics[i].text);
	}
}

static void print_examples(FILE *out, const char *text)
{
	fputs("\nExamples:\n", out);
	while (*text) {
		size_t line = strcspn(text, "\n");

		fprintf(out, "  %.*s\n", (int)line, text);
		text += line + (text[line] == '\n');
	}
}

static void print_synopsis(FILE *out, const struct tw_command *command)
{
	char title[32];

	tw_command_title(command, title, sizeof(title));
	fprintf(out, "usage: %s%s%s\n", title, *command->synopsis ? " " : "",
		command->synopsis);
	if (command->bit == TW_CMD_RUN)
		fputs("       tracewrap COMMAND [OPTIONS] ...\n", out);
}

void tw_help_usage(FILE *out)
{
	print_synopsis(out, tw_command_find("run"));
	fputs("\nRuns PROGRAM and records it. Commands: ", out);
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (tw_commands[i].summary && tw_commands[i].bit != TW_CMD_RUN)
			fprintf(out, "%s ", tw_commands[i].name);
	}
	fputs("\nMore: tracewrap --help\n", out);
}

void tw_help_print(FILE *out, const struct tw_command *command)
{
	print_synopsis(out, command);
	fputc('\n', out);
	print_paragraphs(out, command->details);
	if (command->bit == TW_CMD_RUN)
		print_commands(out);
	print_options(out, command->bit);
	if (command->bit == TW_CMD_RUN)
		print_row(out, "TRACEWRAP_OPTION=VALUE",
			  "sets --option; the command line wins (--max-size is "
			  "TRACEWRAP_MAX_SIZE)");
	print_topics(out, command->bit, "LIMITS", "Limits");
	print_topics(out, command->bit, "EXIT STATUS", "Exit status");
	print_examples(out, command->examples);
}

int tw_cmd_help(const struct tw_config *config, int n_operands, char **operands)
{
	const struct tw_command *command = tw_command_find("run");

	(void)config;
	if (n_operands > 1) {
		tw_complain("help takes one command; try tracewrap help %s",
			    operands[0]);
		return TW_EXIT_FAULT;
	}
	if (n_operands)
		command = tw_command_find(operands[0]);
	if (!command || !command->summary) {
		tw_complain("there is no command '%s'; see tracewrap --help",
			    operands[0]);
		return TW_EXIT_FAULT;
	}
	tw_help_print(stdout, command);
	return TW_EXIT_OK;
}
