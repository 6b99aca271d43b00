/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main of the command: makes the standard streams safe, reads the command line, hands
 * over to the sub-command. Nothing else happens here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/help.h"
#include "cmd/library.h"
#include "config.h"
#include "trace/format.h"

/*
 * A closed standard stream would be the number of the next file we open, and messages
 * would go into a trace. Each gets a stand-in that fails as a closed one does; close on
 * exec, so the traced program finds the stream as closed as it was for us.
 */
static void occupy_streams(void)
{
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
		int mode = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
		int fd;

		if (fcntl(stream, F_GETFD) >= 0)
			continue;
		fd = open("/dev/null", mode | O_CLOEXEC);
		if (fd < 0)
			fd = open("/", O_PATH | O_CLOEXEC);
		if (fd > STDERR_FILENO)
			close(fd);
	}
}

/* A report that did not reach its reader is a failure, whatever the command thought. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	tw_complain("cannot write standard output: %s", strerror(errno));
	return status == TW_EXIT_OK ? TW_EXIT_FAULT : status;
}

/* `--generate man [COMMAND]`, `--generate completion`: for the build, not in help. */
static int generate(int n, char **words)
{
	const struct tw_command *command = tw_command_find(n > 1 ? words[1] : "run");

	if (n == 1 && strcmp(words[0], "completion") == 0)
		tw_completion_print(stdout);
	else if (n && strcmp(words[0], "man") == 0 && command && command->summary)
		tw_manual_print(stdout, command);
	else
		return -EINVAL;
	return 0;
}

static int say_reserved(const char *name)
{
	tw_complain(
		"'%s' comes with a later release; to trace the program of that name: "
		"tracewrap -- %s ...",
		name, name);
	return TW_EXIT_FAULT;
}

static int dispatch(int argc, char **argv)
{
	struct tw_arguments arguments;
	int status = tw_arguments_parse(argc, argv, environ, &arguments);

	if (status)
		return status;
	if (arguments.config.is_help) {
		tw_help_print(stdout, arguments.command);
		return TW_EXIT_OK;
	}
	if (arguments.config.is_version) {
		printf("tracewrap %s (trace format %d.%d)\n", PACKAGE_VERSION,
		       TW_FORMAT_MAJOR, TW_FORMAT_MINOR);
		return TW_EXIT_OK;
	}
	if (!arguments.command->run)
		return say_reserved(arguments.command->name);
	return arguments.command->run(&arguments.config, arguments.n_operands,
				      arguments.operands);
}

int main(int argc, char **argv)
{
	occupy_streams();
	if (argc < 2) {
		tw_help_usage(stderr);
		return TW_EXIT_FAULT;
	}
	if (strcmp(argv[1], TW_LIBRARY_CHECK_FLAG) == 0)
		return tw_library_check_self();
	if (argc > 2 && strcmp(argv[1], "--generate") == 0 &&
	    generate(argc - 2, argv + 2) == 0)
		return flush_output(TW_EXIT_OK);
	return flush_output(dispatch(argc, argv));
}
