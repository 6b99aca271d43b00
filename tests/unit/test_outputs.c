/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of a run's files, and parts of files that a signal must not leave behind. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/outputs.h"
#include "export/output.h"
#include "export/part.h"
#include "spool_builder.h"

static void enter_folder(void)
{
	spool_folder_make();
	cr_assert_eq(chdir(spool_path("")), 0);
}

TestSuite(outputs, .init = enter_folder, .fini = spool_folder_remove, .timeout = 60);

static struct tw_outputs outputs;
static struct tw_config config;

static void give(const char *name)
{
	config.outputs[config.n_outputs++] = name;
}

Test(outputs, without_a_name_a_tracy_file_and_a_spool_that_goes)
{
	cr_assert_eq(tw_outputs_name(&outputs, &config, "server", 4711), 0);
	cr_expect_str_eq(outputs.spool, "server.4711.tw");
	cr_expect(outputs.is_temporary);
	cr_assert_eq(outputs.n_files, 1);
	cr_expect_str_eq(outputs.files[0], "server.4711.tracy");
	cr_expect_str_eq(tw_outputs_readable(&outputs), "server.4711.tracy");
	spool_save_at(outputs.spool, "x", 1);
	tw_outputs_remove_spool(&outputs);
	cr_expect_lt(access(outputs.spool, F_OK), 0);
}

Test(outputs, a_file_that_exists_is_refused_unless_forced)
{
	cr_redirect_stderr();
	spool_save_at("server.4711.tracy", "old", 3);
	cr_expect_eq(tw_outputs_name(&outputs, &config, "server", 4711), -EEXIST);
	config.is_forced = true;
	cr_expect_eq(tw_outputs_name(&outputs, &config, "server", 4711), 0);
}

Test(outputs, a_spool_that_was_asked_for_stays)
{
	give("a.json");
	give("b.tw");
	give("c.tracy");
	cr_assert_eq(tw_outputs_name(&outputs, &config, "server", 4711), 0);
	cr_expect_str_eq(outputs.spool, "b.tw");
	cr_expect_not(outputs.is_temporary);
	cr_expect_eq(outputs.n_files, 2);
	cr_expect_str_eq(tw_outputs_readable(&outputs), "b.tw");
	spool_save_at(outputs.spool, "x", 1);
	tw_outputs_remove_spool(&outputs);
	cr_expect_eq(access(outputs.spool, F_OK), 0);
}

Test(outputs, only_other_forms_leave_nothing_to_report)
{
	give("a.json");
	cr_assert_eq(tw_outputs_name(&outputs, &config, "server", 4711), 0);
	cr_expect_str_eq(outputs.spool, "a.json.4711.tw");
	cr_expect(outputs.is_temporary);
	cr_expect_null(tw_outputs_readable(&outputs));
}

Test(outputs, too_long_a_name_is_refused)
{
	static char name[5000];

	cr_redirect_stderr();
	memset(name, 'a', sizeof(name) - 1);
	cr_expect_eq(tw_outputs_name(&outputs, &config, name, 1), -ENAMETOOLONG);
}

/* Opens an output and meets a signal; returns the wait status. */
static int end_by(int number, bool is_ignored)
{
	struct tw_output o;
	struct tw_fault fault;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (is_ignored)
			signal(number, SIG_IGN);
		if (tw_output_open(&o, "x.tracy", false, NULL, &fault))
			_exit(99);
		raise(number);
		_exit(tw_output_finish(&o, &fault) ? 98 : 0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		cr_expect_eq(WTERMSIG(status), number);
	tw_part_sweep("x.tracy", number == SIGKILL ? pid : 0);
	return status;
}

Test(outputs, a_signal_leaves_no_part_of_a_file)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		cr_expect(WIFSIGNALED(end_by(ends[i], false)));
		cr_expect_eq(system("test -z \"$(ls -A)\""), 0, "after signal %d",
			     ends[i]);
	}
	cr_expect_eq(end_by(SIGHUP, true), 0, "one that is ignored does not end us");
	cr_expect_eq(access("x.tracy", F_OK), 0);
}
