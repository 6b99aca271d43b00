/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scene for viewers: one of every kind of event, from several threads and processes,
 * with counts that follow from the arguments and that it prints, one a line:
 *	tracy_scene [ROUNDS [THREADS [CHILDREN [MS_PER_ROUND [END]]]]]
 * `zone NAME COUNT` counts zones of all processes; END is `exit` or a signal's number.
 */
#include <pthread.h>

#include "target.h"

static int n_rounds = 20, n_threads = 2, n_children = 1, round_ms;

static void bit(void)
{
	TRACEWRAP_ZONE("bit");
}

static void part(int i)
{
	TRACEWRAP_ZONE_COLOUR("part", 0x00ff00);
	TRACEWRAP_VALUE(i);
	bit();
}

static void *worker(void *argument)
{
	int k = *(int *)argument;
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", k);
	TRACEWRAP_THREAD_NAME(name);
	for (int i = 0; i < n_rounds; i++) {
		char text[32];
		int n = snprintf(text, sizeof(text), "worker %d round %d", k, i);

		TRACEWRAP_ZONE("work");
		TRACEWRAP_TEXT(text, (size_t)n);
		part(i);
		nap_ms(round_ms);
	}
	TRACEWRAP_MESSAGE_COLOUR(name, strlen(name), 0x0000ff);
	return NULL;
}

static void play_round(int i)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "round %d", i);

	TRACEWRAP_ZONE_COLOUR("round", 0x3366cc);
	TRACEWRAP_TEXT(text, (size_t)n);
	TRACEWRAP_VALUE(UINT64_C(1) << i % 64);
	{
		TRACEWRAP_ZONE("step");
		TRACEWRAP_PLOT("load", i * 0.5);
		TRACEWRAP_PLOT("charge", -i);
	}
	TRACEWRAP_END(TRACEWRAP_BEGIN("instant"));
	TRACEWRAP_FRAME(NULL);
	if (i % 2)
		TRACEWRAP_FRAME("tick");
	nap_ms(round_ms);
}

static void oddities(void)
{
	static char long_text[4096];

	for (size_t i = 0; i < sizeof(long_text); i++)
		long_text[i] = (char)('a' + i % 26);
	{
		TRACEWRAP_ZONE("");
	}
	{
		TRACEWRAP_ZONE("long");
		TRACEWRAP_TEXT(long_text, sizeof(long_text));
	}
	{
		TRACEWRAP_ZONE("plain");
		TRACEWRAP_NAME("dressed", 7);
		TRACEWRAP_COLOUR(0xff8000);
	}
	{
		TRACEWRAP_ZONE("g\xc5\xbc"
			       "eg\xc5\xbc\xc3\xb3\xc5\x82ka");
		TRACEWRAP_TEXT("\xe2\x98\x83 caf\xc3\xa9", 9);
	}
	TRACEWRAP_MESSAGE("plain words", 11);
	TRACEWRAP_MESSAGE_COLOUR("red \xe2\x98\x83", 7, 0xff0000);
	TRACEWRAP_MESSAGE(long_text, sizeof(long_text));
}

/* A fork with events of its own that then becomes another image of this program. */
static void child(const char *self)
{
	char rounds[16];

	TRACEWRAP_THREAD_NAME("child");
	for (int i = 0; i < n_rounds; i++) {
		TRACEWRAP_ZONE("forked");
	}
	snprintf(rounds, sizeof(rounds), "%d", n_rounds);
	execl(self, "leaf", "leaf", rounds, (char *)NULL);
	_exit(99);
}

static int leaf(int rounds)
{
	TRACEWRAP_THREAD_NAME("leaf");
	for (int i = 0; i < rounds; i++) {
		TRACEWRAP_ZONE("leaf");
	}
	TRACEWRAP_MESSAGE("leaf done", 9);
	return 0;
}

static void say_what_to_expect(void)
{
	int r = n_rounds, t = n_threads, c = n_children;

	printf("zone scene 1\nzone round %d\nzone step %d\nzone instant %d\n", r, r, r);
	printf("zone long 1\nzone dressed 1\nzone g\xc5\xbc"
	       "eg\xc5\xbc\xc3\xb3\xc5\x82ka 1\n");
	printf("zone oddities 1\nzone work %d\nzone part %d\nzone bit %d\n", r * t,
	       r * t, r * t);
	printf("zone forked %d\nzone leaf %d\n", r * c, r * c);
	printf("message %d\nplot load %d\nplot charge %d\n", 3 + t + c, r, r);
	printf("frame - %d\nframe tick %d\n", r, r / 2);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int numbers[64];
	pid_t pids[64];

	if (argc > 2 && strcmp(argv[1], "leaf") == 0)
		return leaf(atoi(argv[2]));
	n_rounds = argc > 1 ? atoi(argv[1]) : n_rounds;
	n_threads = argc > 2 ? atoi(argv[2]) : n_threads;
	n_children = argc > 3 ? atoi(argv[3]) : n_children;
	round_ms = argc > 4 ? atoi(argv[4]) : round_ms;
	MUST(n_threads >= 0 && n_threads <= 64 && n_children >= 0 && n_children <= 64);
	TRACEWRAP_THREAD_NAME("scene-main");
	say_what_to_expect();
	{
		TRACEWRAP_ZONE("scene");
		for (int i = 0; i < n_children; i++) {
			pid_t pid = fork();

			MUST(pid >= 0);
			if (pid == 0)
				child("/proc/self/exe");
			pids[i] = pid;
		}
		for (int i = 0; i < n_threads; i++) {
			numbers[i] = i;
			MUST(!pthread_create(&threads[i], NULL, worker, &numbers[i]));
		}
		oddities();
		for (int i = 0; i < n_rounds; i++)
			play_round(i);
		for (int i = 0; i < n_threads; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < n_children; i++)
			reap(pids[i], "child");
		if (argc > 5 && strcmp(argv[5], "exit") != 0)
			raise(atoi(argv[5]));
	}
	return 0;
}
