/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Getting control inside the interpreter. From 3.8 an audit hook is added from our
 * constructor, before there is an interpreter; its first `import` event comes with the
 * lock held and before any code of the program, however Python was started: -I, -S, -E,
 * -c, -m, a zip file, an embedding program. Then the hook is taken out again, because
 * it would cost 20 ns at each audited operation. In 3.6 and 3.7 a pending call does it:
 * the interpreter runs it as soon as it runs anything.
 *
 * When an interpreter has ended (Py_Finalize), the same is prepared for the next one.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "annotate.h"
#include "code.h"
#include "collect.h"
#include "core/intern.h"
#include "core/sys.h"
#include "core/text.h"
#include "filter.h"
#include "module.h"
#include "native.h"
#include "object.h"
#include "preload/log.h"
#include "preload/self.h"
#include "shadow.h"
#include "stack.h"

struct tw_py tw_py;

struct audit_entry {
	struct audit_entry *next;
	tw_py_audit_hook hook;
};

/* Where the runtime keeps its list of audit hooks; NULL = ours stays in it. */
static struct audit_entry **audit_head;
static struct audit_entry *audit_entry; /* ours, while it is out of the list */

/* --python-sub: numbers of the interpreters that are armed; the first comes first. */
#define ARMED_MAX 1024u
static int64_t armed[ARMED_MAX];
static uint32_t n_armed;

void tw_py_note(const char *what, const char *about)
{
	char words[256];
	struct tw_text t = tw_text_in(words, sizeof(words));

	tw_text_add(&t, "Python: ");
	tw_text_add(&t, what);
	tw_text_add(&t, about);
	tw_log(TW_LOG_PROBLEM, words, NULL);
	if (tw_self_producer())
		tw_arena_note(tw_self.view.arena, words, t.used);
}

struct back_end {
	enum tw_python_hook hook;
	const char *name;
	bool (*install)(void);
};

static const struct back_end back_ends[] = {
	{TW_PYTHON_HOOK_EVAL, "frame evaluation (PEP 523)", tw_py_eval_install},
	{TW_PYTHON_HOOK_MONITOR, "sys.monitoring", tw_py_monitor_install},
	{TW_PYTHON_HOOK_PROFILE, "the profile function", tw_py_profile_install},
};

static bool try_back_end(enum tw_python_hook hook)
{
	for (size_t i = 0; i < sizeof(back_ends) / sizeof(back_ends[0]); i++) {
		if (back_ends[i].hook != hook || !back_ends[i].install())
			continue;
		tw_py.hook = hook;
		tw_log(TW_LOG_STEP, "Python calls are recorded by", back_ends[i].name);
		return true;
	}
	return false;
}

/*
 * The user's choice, or the version's own and then the one of last resort. A version
 * that is newer than this release has sys.monitoring, as documented, or is tried with
 * the profile function.
 */
static bool choose_back_end(void)
{
	enum tw_python_hook hook = tw_py.choice.hook;

	if (hook != TW_PYTHON_HOOK_AUTO)
		return try_back_end(hook);
	hook = tw_py.abi ? tw_py.abi->hook : TW_PYTHON_HOOK_MONITOR;
	if (!tw_py.abi)
		tw_py_note(
			"newer than this release knows, so its documented interface is "
			"used: CPython ",
			tw_py_call.version());
	if (try_back_end(hook))
		return true;
	if (!try_back_end(TW_PYTHON_HOOK_PROFILE))
		return false;
	tw_py_note("recorded by the profile function, which sees less: CPython ",
		   tw_py_call.version());
	return true;
}

/* With the interpreter's lock, and no program code run yet. */
static void install(void)
{
	if (tw_py.choice.is_off) {
		/* What a program imports of ours is there all the same. */
		tw_py_module_install();
		tw_py.hook = TW_PYTHON_HOOK_NONE;
		return;
	}
	/* First, so that our own import is not in the trace. */
	tw_py_collect_install();
	tw_py_module_install();
	if (!tw_py_code_start())
		tw_py_note("not recorded: no room for extra data in code objects", "");
	else if (!choose_back_end())
		tw_py_note("not recorded: no hook works in CPython ",
			   tw_py_call.version());
}

static void prepare(void);

/* The interpreter has ended; another may be started in the same process. */
static void on_finalised(void)
{
	if (tw_py_filter_is_idle())
		tw_py_note("no function matched --python-include ",
			   tw_py.choice.include);
	tw_py.hook = TW_PYTHON_HOOK_AUTO;
	n_armed = 0;
	tw_py_object_forget();
	tw_py_collect_forget();
	tw_py_native_forget();
	tw_py_module_forget();
	prepare();
}

/* Keeps the exception that is set, if any, and errno. */
static void arm(void)
{
	struct tw_py_aside aside = tw_py_aside_put();

	tw_py_code_forget();
	tw_py.header_bytes = tw_py_header_bytes();
	install();
	if (tw_py.hook != TW_PYTHON_HOOK_AUTO)
		tw_py_call.at_exit(on_finalised);
	tw_py_aside_take(&aside);
}

/*
 * --python-sub: the audit hook stays, and each further interpreter gets the back end at
 * its first import. Their numbers are never used again.
 */
static void arm_sub(void)
{
	int64_t id = tw_py_call.interpreter_id(tw_py_call.interpreter());
	struct tw_py_aside aside;

	for (uint32_t i = 0; i < n_armed; i++)
		if (armed[i] == id)
			return;
	if (n_armed == ARMED_MAX)
		return;
	armed[n_armed++] = id;
	if (n_armed == 1)
		return; /* the first, which is armed already */
	aside = tw_py_aside_put();
	tw_py_object_forget();
	if (!tw_py_code_start_sub() || !try_back_end(tw_py.hook))
		tw_py_note("a sub-interpreter is not recorded", "");
	tw_py_aside_take(&aside);
}

static int on_audit(const char *event, tw_o *arguments, void *data)
{
	static bool is_busy;

	(void)arguments;
	(void)data;
	if (is_busy || strcmp(event, "import") != 0 || !tw_py_call.thread_state())
		return 0;
	is_busy = true;
	if (tw_py.hook == TW_PYTHON_HOOK_AUTO)
		arm();
	if (tw_py.choice.has_sub && !tw_py.choice.is_off &&
	    tw_py.hook != TW_PYTHON_HOOK_AUTO)
		arm_sub();
	is_busy = false;
	if (!tw_py.choice.has_sub && audit_head && *audit_head &&
	    (*audit_head)->hook == on_audit) {
		audit_entry = *audit_head;
		*audit_head = audit_entry->next;
	}
	return 0;
}

static int on_pending(void *data)
{
	(void)data;
	if (tw_py.hook == TW_PYTHON_HOOK_AUTO)
		arm();
	return 0;
}

/* The runtime's global structure and its size in words; NULL when it has no symbol. */
static void **find_runtime(size_t *n_words)
{
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!tw_py_call.at_runtime ||
	    !dladdr1(tw_py_call.at_runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol)
		return NULL;
	*n_words = symbol->st_size / sizeof(void *);
	return tw_py_call.at_runtime;
}

/*
 * The one word that adding the hook changed is the head of the list. Where more than
 * one did, or its entry does not hold our function, nothing is touched later.
 */
static struct audit_entry **find_changed(void **runtime, void *const *before, size_t n)
{
	void **found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (runtime[i] == before[i])
			continue;
		if (found)
			return NULL;
		found = &runtime[i];
	}
	if (found && *found && ((struct audit_entry *)*found)->hook == on_audit)
		return (struct audit_entry **)found;
	return NULL;
}

static bool add_audit_hook(void)
{
	size_t n = 0;
	void **runtime = find_runtime(&n), **before = NULL;
	bool is_added;

	if (runtime)
		before = tw_sys_mmap(n * sizeof(void *), PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!before || tw_sys_failed(before))
		return tw_py_call.add_audit_hook(on_audit, NULL) == 0;
	memcpy(before, runtime, n * sizeof(void *));
	is_added = tw_py_call.add_audit_hook(on_audit, NULL) == 0;
	audit_head = is_added ? find_changed(runtime, before, n) : NULL;
	tw_sys_munmap(before, n * sizeof(void *));
	return is_added;
}

static bool add_pending_call(void)
{
	char status[256]; /* a structure that 3.7 returns by value: smaller than this */

	if (tw_py_call.runtime_initialise)
		tw_py_call.runtime_initialise(status);
	return tw_py_call.add_pending_call &&
	       tw_py_call.add_pending_call(on_pending, NULL) == 0;
}

static void prepare(void)
{
	if (audit_entry) {
		audit_entry->next = *audit_head;
		*audit_head = audit_entry;
		audit_entry = NULL;
		return;
	}
	if (tw_py_call.add_audit_hook ? !add_audit_hook() : !add_pending_call())
		tw_py_note("not recorded: no way in", "");
}

/* "3.11.7 (main, ...": true when it is a version that has what we need. */
static bool read_version(const char *text)
{
	int parts[2] = {0};

	for (int i = 0; i < 2; i++) {
		while (*text >= '0' && *text <= '9')
			parts[i] = parts[i] * 10 + *text++ - '0';
		text += *text == '.';
	}
	tw_py.major = parts[0];
	tw_py.minor = parts[1];
	tw_py.abi = tw_py_abi_find(parts[0], parts[1]);
	return parts[0] == 3 && parts[1] >= 6;
}

/* Under a parent its word counts; without, the environment's. */
static void read_choice(void)
{
	if (tw_self.has_parent)
		tw_py.choice = tw_self.view.arena->python;
	else
		tw_python_choice_fill(&tw_py.choice, &tw_self.config);
}

void tw_python_look(void *handle)
{
	const char *(*version)(void) =
		(const char *(*)(void))dlsym(handle, "Py_GetVersion");
	const char *missing;

	if (!version || tw_py.major)
		return;
	read_choice();
	if (!read_version(version()))
		return;
	missing = tw_py_call_find(handle);
	if (missing) {
		tw_py_note("not recorded: this interpreter has no ", missing);
		return;
	}
	if (tw_py_call.is_initialised())
		return; /* too late: its threads may be running */
	prepare();
}

void tw_python_leave(void)
{
	tw_py_annotate_leave();
	tw_py_shadow_leave();
	tw_py_stack_leave();
}
