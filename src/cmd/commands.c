/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of sub-commands: what main, help, man pages and completion know of them.
 *
 * To add a command: its file with tw_cmd_NAME, a bit in core/options.h, a row here.
 * In `details` an empty line parts paragraphs; `examples` holds a line "# what for" and
 * the command below it.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"

/* clang-format off */
const struct tw_command tw_commands[] = {
	{
		.name = "run", .bit = TW_CMD_RUN, .run = tw_cmd_run, .ends_at_operand = true,
		.synopsis = "[OPTIONS] [--] PROGRAM [ARGUMENT]...",
		.summary = "run a program and record it",
		.details =
			"Runs PROGRAM with libtracewrap.so loaded into it and into the processes it "
			"starts, and records annotations, threads and processes on one timeline. "
			"PROGRAM is not rebuilt and behaves as it does alone: same output, exit code, "
			"signals and files. When it ends, a summary goes to stderr and the exit code "
			"is PROGRAM's.\n\n"
			"The trace is PROGRAM.PID.tracy in the current folder, for the Tracy viewer and "
			"for `tracewrap report`. It is made when the run has ended; until then the trace "
			"is PROGRAM.PID.tw, which can be read while it is written, and up to its last "
			"whole block after a crash of anything. When the file cannot be made, the .tw "
			"stays, and a line says so.\n\n"
			"Memory is bounded in every mode: rings by --buffer-size, the trace file by "
			"--max-size. What a bound or a fault took away is counted and shown in the "
			"summary and in every report.\n\n"
			"A first word that is the name of a sub-command is that sub-command; "
			"`tracewrap -- report` runs a program called report.",
		.examples =
			"# record, then look at it\n"
			"tracewrap ./server --port 8080\n"
			"# skip ten seconds of warm-up, record five\n"
			"tracewrap --delay 10 --duration 5 ./server\n"
			"# record nothing until told to\n"
			"tracewrap --disabled -o run.tw ./server & tracewrap ctl $! start",
	},
	{
		.name = "report", .bit = TW_CMD_REPORT, .run = tw_cmd_report,
		.synopsis = "[OPTIONS] TRACE...",
		.summary = "print where the time of a trace went",
		.details =
			"Prints the zones of TRACE with count, total, self, min, mean, max and 99th "
			"percentile, for the whole trace or for each process or thread, and below "
			"them everything that was lost. TRACE is a .tracy file, of tracewrap or of any "
			"other program, or a .tw; its content decides, not its name. Memory grows with the number of names, not "
			"with the number of events.",
		.examples =
			"# the twenty zones with the most time of their own\n"
			"tracewrap report --sort self server.4711.tracy\n"
			"# for scripts\n"
			"tracewrap report --json server.4711.tracy",
	},
	{
		.name = "export", .bit = TW_CMD_EXPORT, .run = tw_cmd_export,
		.synopsis = "[OPTIONS] TRACE -o FILE...",
		.summary = "write a trace in another program's format",
		.details =
			"Writes TRACE, a .tracy file of any origin or a .tw, as .tracy for the Tracy viewer (see --tracy-version for which), "
			"as .json in the Chrome trace format (opens in Perfetto and "
			"chrome://tracing), as .csv with one line for each zone, or as .tw, tracewrap's own. "
			"A file that exists is replaced only with --force.",
		.examples =
			"# for the Tracy viewer 0.11 and later ones\n"
			"tracewrap export server.4711.tracy --tracy-version 0.11 -o server.tracy\n"
			"# a timeline in a browser\n"
			"tracewrap export server.4711.tracy -o server.json",
	},
	{
		.name = "doctor", .bit = TW_CMD_DOCTOR, .run = tw_cmd_doctor,
		.ends_at_operand = true,
		.synopsis = "[OPTIONS] [--] [PROGRAM [ARGUMENT]...]",
		.summary = "say what would be recorded, what not, and why",
		.details =
			"Looks at this machine and at PROGRAM without running it, and prints one row "
			"for each thing that decides whether recording works: what it found, why it "
			"matters, what to do.",
		.examples =
			"# will this be recorded?\n"
			"tracewrap doctor -- ./server\n"
			"# in a script\n"
			"tracewrap doctor --json -- ./server > doctor.json || echo 'not all of it'",
	},
	{
		.name = "ctl", .bit = TW_CMD_CTL, .run = tw_cmd_ctl, .ends_at_operand = true,
		.synopsis = "PID start|stop|mark TEXT",
		.summary = "start, stop or mark a recording that is under way",
		.details =
			"PID is the process number of any traced process, or of the tracewrap that "
			"records it. start and stop open and close the recording for all processes of "
			"the run; mark puts TEXT on the timeline.",
		.examples =
			"# record one request\n"
			"tracewrap ctl 4711 start; curl localhost:8080; tracewrap ctl 4711 stop",
	},
	{
		.name = "help", .bit = TW_CMD_HELP, .run = tw_cmd_help,
		.synopsis = "[COMMAND]",
		.summary = "print help on a command",
		.details = "Prints what `tracewrap COMMAND --help` prints.",
		.examples = "tracewrap help report",
	},
	{
		.name = "bench", .bit = TW_CMD_BENCH, .run = tw_cmd_bench,
		.synopsis = "",
		.summary = "measure what recording costs on this machine",
		.details =
			"Prints the cost of a zone beside that of the two time stamps it needs, "
			"and the speed and density of writing a trace. CPU time, so that other "
			"work on the machine matters little. Takes about two seconds.",
		.examples =
			"# is this machine's clock fast?\n"
			"tracewrap bench",
	},
	/* Kept for later releases, so that no script learns another meaning. */
	{ .name = "capture" },
	{ .name = "csvexport" },
	{ .name = "diff" },
	{ .name = "merge" },
};
/* clang-format on */

const size_t tw_n_commands = sizeof(tw_commands) / sizeof(tw_commands[0]);

const struct tw_command *tw_command_find(const char *name)
{
	for (size_t i = 0; i < tw_n_commands; i++) {
		if (strcmp(tw_commands[i].name, name) == 0)
			return &tw_commands[i];
	}
	return NULL;
}

void tw_command_title(const struct tw_command *command, char *buffer, size_t bytes)
{
	if (command->bit == TW_CMD_RUN)
		snprintf(buffer, bytes, "tracewrap");
	else
		snprintf(buffer, bytes, "tracewrap %s", command->name);
}
