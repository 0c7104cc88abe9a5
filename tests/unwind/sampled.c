/* SPDX-License-Identifier: MIT */
/*
 * Stops every thread of a program now and then, walks their stacks and counts
 * how the walks end:
 *
 *	sampled [-n ROUNDS] [-c PERCENT] [-e INNER=OUTER]... PROGRAM...
 *
 * -c  fail unless so many percent of the walks are complete
 * -e  fail unless each walk with INNER in it has OUTER above it (or INNER was
 *     never seen)
 * -v  print one walk of each kind that is not complete
 */
#include <dirent.h>
#include <elf.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "space.h"
#include "target.h"

enum { DEPTH = 1024, EXPECTED = 8, STACK_COPY = 128 * 1024 };

struct expected {
	char inner[128];
	char outer[128];
	unsigned seen;
	unsigned missing;
};

static struct {
	struct target target;
	struct target_map maps[SPACE_MAX];
	struct space space;
	struct expected expected[EXPECTED];
	unsigned n_expected;
	unsigned long walks;
	unsigned long frames;
	unsigned long guessed;
	unsigned long by_reason[UNWIND_REASONS];
	bool verbose;
	bool ended;
	uint8_t stack[STACK_COPY];
} t;

static bool read_word(void *context, uint64_t addr, uint64_t *value)
{
	(void)context;
	return t.target.read(&t.target, addr, value, 8) == 8;
}

static void show(const uint64_t *pcs, struct unwind_result r)
{
	printf("%s:\n", unwind_reason_text(r.reason));
	for (uint32_t i = 0; i < r.count; i++)
		printf("  %#lx %s\n", (unsigned long)pcs[i],
		       space_name(&t.space, pcs[i]));
}

static void check(struct expected *e, const uint64_t *pcs, uint32_t count)
{
	bool inside = false;

	for (uint32_t i = 0; i < count; i++) {
		const char *name = space_name(&t.space, pcs[i]);

		if (!inside) {
			inside = !strcmp(name, e->inner);
			e->seen += inside;
		} else if (!strcmp(name, e->outer)) {
			return;
		}
	}
	e->missing += inside;
}

static void walk_thread(int tid)
{
	static struct unwind_slot slots[4096];
	static struct unwind_cache cache;
	struct user_regs_struct r;
	uint64_t pcs[DEPTH];

	if (ptrace(PTRACE_GETREGS, tid, 0, &r) < 0)
		return;

	uint64_t all[17] = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
			     r.rbp, r.rsp, r.r8,  r.r9,	 r.r10, r.r11,
			     r.r12, r.r13, r.r14, r.r15, r.rip };
	struct unwind_walker w = {
		.map = &t.space.map,
		.cache = &cache,
		.memory = { .lo = r.rsp,
			    .len = t.target.read(&t.target, r.rsp, t.stack,
						 STACK_COPY),
			    .copy = t.stack,
			    .read = read_word },
		.code_mask = UNWIND_CODE_MASK_X86,
		.machine = EM_X86_64,
	};
	struct unwind_regs regs = {
		.pc = r.rip,
		.sp = r.rsp,
		.fp = r.rbp,
		.extra = r.rbx,
		.all = all,
		.n_all = 17,
		.known = UNWIND_HAS_FP | UNWIND_HAS_EXTRA,
		.exact = true,
	};

	if (!cache.slots)
		unwind_cache_init(&cache, slots, sizeof(slots));
	struct unwind_result result = unwind_walk(&w, regs, pcs, DEPTH);

	t.walks++;
	t.frames += result.count;
	t.guessed += result.guessed;
	if (result.reason != UNWIND_COMPLETE && t.verbose &&
	    !t.by_reason[result.reason])
		show(pcs, result);
	t.by_reason[result.reason]++;
	for (unsigned i = 0; i < t.n_expected; i++)
		check(&t.expected[i], pcs, result.count);
}

static void resume(int tid, int status)
{
	int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);

	ptrace(PTRACE_CONT, tid, 0, signal);
}

/* A thread that is not being looked at stops for a signal of its own, and must
 * go on, or it has ended. */
static void pass_on(int tid, int status)
{
	if (WIFSTOPPED(status))
		resume(tid, status);
	else
		t.ended |= tid == t.target.pid;
}

static void let_run(unsigned microseconds)
{
	int status;
	int tid;

	for (unsigned spent = 0; spent < microseconds; spent += 100) {
		while ((tid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
			pass_on(tid, status);
		usleep(100);
	}
}

/* Waits for any thread: the first one's end is only told when the ends of all
 * others have been heard. */
static bool wait_stopped(int tid, int *status)
{
	int one;

	while ((one = waitpid(-1, status, __WALL)) > 0) {
		if (one == tid && WIFSTOPPED(*status))
			return true;
		pass_on(one, *status);
		if (one == tid)
			return false;
	}
	t.ended = true;
	return false;
}

static void stop_thread(int tid)
{
	int status;

	/* It may be new to us, or known since an earlier round. */
	ptrace(PTRACE_SEIZE, tid, 0, 0);
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0)
		return;
	if (!wait_stopped(tid, &status))
		return;
	walk_thread(tid);
	resume(tid, status);
}

static bool one_round(void)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;

	space_update(&t.space, &t.target, t.maps,
		     t.target.maps(&t.target, t.maps, SPACE_MAX));
	snprintf(path, sizeof(path), "/proc/%d/task", t.target.pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			stop_thread(atoi(entry->d_name));
	closedir(tasks);
	return !t.ended;
}

static bool summary(double percent)
{
	unsigned long complete = t.by_reason[UNWIND_COMPLETE];
	double share = 100.0 * (double)complete /
		       (double)(t.walks ? t.walks : 1);
	bool good = t.walks && share >= percent;

	printf("%s: %lu walks, %.2f %% complete, %.1f frames each, %lu guessed\n",
	       t.target.path, t.walks, share,
	       (double)t.frames / (double)(t.walks ? t.walks : 1), t.guessed);
	for (unsigned i = 0; i < UNWIND_REASONS; i++)
		if (t.by_reason[i] && i != UNWIND_COMPLETE)
			printf("  %lu: %s\n", t.by_reason[i],
			       unwind_reason_text(i));
	for (unsigned i = 0; i < t.n_expected; i++) {
		struct expected *e = &t.expected[i];

		printf("  %s: %u times, %u without %s\n", e->inner, e->seen,
		       e->missing, e->outer);
		good &= e->seen && !e->missing;
	}
	return good;
}

int main(int argc, char **argv)
{
	unsigned rounds = 500;
	double percent = 0;
	int c;

	while ((c = getopt(argc, argv, "+n:c:e:v")) >= 0) {
		if (c == 'n')
			rounds = (unsigned)atoi(optarg);
		else if (c == 'c')
			percent = atof(optarg);
		else if (c == 'v')
			t.verbose = true;
		else if (c == 'e' && t.n_expected < EXPECTED &&
			 sscanf(optarg, "%127[^=]=%127s",
				t.expected[t.n_expected].inner,
				t.expected[t.n_expected].outer) == 2)
			t.n_expected++;
		else
			return 2;
	}
	if (optind == argc)
		return 2;
	target_seized(&t.target, argv + optind);
	let_run(30000);
	for (unsigned i = 0; i < rounds && one_round(); i++)
		let_run(3000);
	kill(t.target.pid, SIGKILL);
	return !summary(percent);
}
