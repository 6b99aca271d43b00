/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion for bash, written during the build by `tracewrap --generate completion`.
 * It offers sub-commands, their options, the words of choices, trace files, and behind
 * the program's name whatever that program's own completion offers.
 */
#include "cmd/help.h"

#include <string.h>

static const char head[] =
	"# bash completion for tracewrap; made from the option table by\n"
	"# `tracewrap --generate completion`.\n"
	"_tracewrap()\n"
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} "
	"previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command= program=0 options= i\n"
	"\tCOMPREPLY=()\n"
	"\t# --follow=all arrives as three words.\n"
	"\tif [[ $current == = ]]; then current=; "
	"elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n";

static const char tail[] =
	"\tif ((program)) && declare -F _comp_command_offset > /dev/null; then\n"
	"\t\t_comp_command_offset \"$program\"\n"
	"\telif ((program)) && declare -F _command_offset > /dev/null; then\n"
	"\t\t_command_offset \"$program\"\n"
	"\telif [[ $current == -* ]] && ((!program)); then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
	"\telif [[ $command == report || $command == export ]]; then\n"
	"\t\tcompopt -o filenames\n"
	"\t\tCOMPREPLY=($(compgen -f -X '!*.tracy' -- \"$current\") "
	"$(compgen -f -X '!*.tw' -- \"$current\") "
	"$(compgen -d -- \"$current\"))\n"
	"\telif [[ $command == help ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n"
	"\telif [[ $command == ctl ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W 'start stop mark' -- \"$current\"))\n"
	"\telif ((program)); then\n"
	"\t\tcompopt -o filenames\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$current\"))\n"
	"\t\t((program == COMP_CWORD)) && COMPREPLY+=($(compgen -c -- \"$current\"))\n"
	"\telse\n"
	"\t\t[[ $command ]] && commands=\n"
	"\t\tcompopt -o filenames\n"
	"\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$current\") "
	"$(compgen -c -- \"$current\") $(compgen -f -- \"$current\"))\n"
	"\tfi\n"
	"}\n"
	"complete -F _tracewrap tracewrap\n";

static void put_command_names(FILE *out, const char *separator)
{
	const char *before = "";

	for (size_t i = 0; i < tw_n_commands; i++) {
		if (!tw_commands[i].summary)
			continue;
		fprintf(out, "%s%s", before, tw_commands[i].name);
		before = separator;
	}
}

/* "-o|--output|..." of all options with a value: the word after them is no operand. */
static void put_valued(FILE *out)
{
	const char *before = "";

	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];

		if (option->type == TW_OPTION_FLAG)
			continue;
		if (option->letter)
			fprintf(out, "%s-%c", before, option->letter);
		fprintf(out, "%s--%s", option->letter ? "|" : before, option->name);
		before = "|";
	}
}

/* Finds the sub-command, or the program that is run or examined, before the cursor. */
static void put_scan(FILE *out)
{
	fputs("\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n\t\t",
	      out);
	put_valued(out);
	fputs(") [[ ${COMP_WORDS[i+1]} == = ]] && ((i += 1)); ((i += 1)) ;;\n"
	      "\t\t--) program=$((i + 1)); break ;;\n"
	      "\t\t-*|=) ;;\n"
	      "\t\t*)\n"
	      "\t\t\tif [[ -z $command && \" $commands \" == *\" ${COMP_WORDS[i]} \"* "
	      "]]; then\n"
	      "\t\t\t\tcommand=${COMP_WORDS[i]}\n"
	      "\t\t\telif [[ -z $command || $command == run || $command == doctor ]]; "
	      "then\n"
	      "\t\t\t\tprogram=$i; break\n"
	      "\t\t\tfi ;;\n"
	      "\t\tesac\n"
	      "\tdone\n",
	      out);
}

/* The words of choices, and files after options that take one. */
static void put_values(FILE *out)
{
	fputs("\tif ((!program)); then case $previous in\n", out);
	for (size_t i = 0; i < tw_n_options; i++) {
		const struct tw_option *option = &tw_options[i];

		if (option->type != TW_OPTION_CHOICE)
			continue;
		fprintf(out, "\t--%s", option->name);
		if (option->letter)
			fprintf(out, "|-%c", option->letter);
		fputs(") COMPREPLY=($(compgen -W '", out);
		for (const char *p = option->choices; *p; p++)
			fputc(*p == '|' ? ' ' : *p, out);
		fputs("' -- \"$current\")); return ;;\n", out);
	}
	fputs("\t-o|--output|--log) compopt -o filenames; "
	      "COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n"
	      "\t--signal) COMPREPLY=($(compgen -A signal -- \"$current\")); return "
	      ";;\n\t",
	      out);
	put_valued(out);
	fputs(") return ;;\n\tesac; fi\n", out);
}

static void put_options(FILE *out)
{
	fputs("\tcase ${command:-run} in\n", out);
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (!tw_commands[i].summary)
			continue;
		fprintf(out, "\t%s) options='", tw_commands[i].name);
		for (size_t k = 0; k < tw_n_options; k++) {
			if (!(tw_options[k].commands & tw_commands[i].bit))
				continue;
			fprintf(out, "--%s ", tw_options[k].name);
			if (tw_options[k].letter)
				fprintf(out, "-%c ", tw_options[k].letter);
		}
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n", out);
}

void tw_completion_print(FILE *out)
{
	fputs(head, out);
	fputs("\tlocal commands='", out);
	put_command_names(out, " ");
	fputs("'\n", out);
	put_scan(out);
	put_values(out);
	put_options(out);
	fputs(tail, out);
}
