/* SPDX-License-Identifier: MIT */
/*
 * What the kernel lets this user record, found out by asking it, never by
 * reading settings and guessing; the settings only explain the answer.
 */
#include "collect/permit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/json.h"
#include "base/sink.h"
#include "base/span.h"
#include "collect/event.h"
#include "collect/procfile.h"
#include "symbolize/procfs.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38 };

static bool has_capability(unsigned bit)
{
	struct arena arena = { 0 };
	struct span status;
	const char *found = NULL;
	uint64_t effective = 0;

	if (procfs_read("/proc/self/status", &arena, &status) == 0)
		found = memmem(status.at, status.len, "CapEff:", 7);
	if (found)
		effective = strtoull(found + 7, NULL, 16);
	arena_release(&arena);
	return effective >> bit & 1;
}

static bool is_privileged(void)
{
	return has_capability(CAP_PERFMON_BIT) ||
	       has_capability(CAP_SYS_ADMIN_BIT);
}

int permit_explain(int code, bool whole, struct error *err)
{
	long paranoid = proc_number(PARANOID, 2);

	if (code == -ENOSYS)
		return error_set(
			err, code,
			"there is no perf_event_open here: the kernel is built without it, or a seccomp filter hides it; run containers with --security-opt seccomp=unconfined or --cap-add PERFMON");
	if (code != -EACCES && code != -EPERM)
		return error_set_errno(err, code, "cannot open a perf event");
	if (is_privileged())
		return error_set(
			err, code,
			"perf events are forbidden although this process has CAP_PERFMON: a seccomp filter or security module forbids them; run containers with --security-opt seccomp=unconfined");
	if (whole && paranoid > 0)
		return error_set(
			err, code,
			"recording the whole machine needs CAP_PERFMON (sudo setcap cap_perfmon,cap_sys_ptrace+ep on wick, or sudo) or 'sysctl kernel.perf_event_paranoid=0' (it is %ld)",
			paranoid);
	if (paranoid > 2)
		return error_set(
			err, code,
			"perf events are forbidden to users: 'sysctl kernel.perf_event_paranoid=2' permits them for their own programs (it is %ld), CAP_PERFMON permits all",
			paranoid);
	return error_set(
		err, code,
		"perf events are forbidden: a seccomp filter or security module forbids them, or the process is another user's; CAP_PERFMON and CAP_SYS_PTRACE permit that");
}

/* One rung of the ladder. */
struct rung {
	const char *what;
	bool works;
	char why[600]; /* what is in the way, and what would change it */
};

enum { RUNGS = 6 };

static void note(struct rung *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct rung *r, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fmt_va(r->why, sizeof(r->why), format, ap);
	va_end(ap);
}

static struct rung cycles_rung(const struct event_choice *c, int code)
{
	struct rung r = { .what = "hardware cycles",
			  .works = code == 0 && c->kind == EVENT_CYCLES };

	if (!r.works &&
	    (c->cycles_error == -ENOENT || c->cycles_error == -EOPNOTSUPP))
		note(&r,
		     "this processor, or virtual machine, has no counters; the clock is used, which is as good for finding where time goes");
	else if (!r.works)
		note(&r, "%s",
		     strerrordesc_np(
			     -(c->cycles_error ? c->cycles_error : code)));
	return r;
}

static struct rung own_rung(int code, const struct error *err)
{
	struct rung r = { .what = "own programs", .works = code == 0 };

	if (!r.works)
		note(&r,
		     "%s; until then programs that wick starts are recorded from inside, those that run already are not",
		     err->text);
	return r;
}

static struct rung kernel_rung(const struct event_choice *c, int code)
{
	struct rung r = { .what = "time in the kernel",
			  .works = code == 0 && c->kernel };

	if (!r.works)
		note(&r,
		     "system calls are not seen; 'sysctl kernel.perf_event_paranoid=1' (it is %ld) or CAP_PERFMON shows them",
		     proc_number(PARANOID, 2));
	return r;
}

static struct rung whole_rung(void)
{
	struct rung r = { .what = "the whole machine" };
	struct event_choice c;
	struct error err = { 0 };

	r.works = event_choose(&c, 99, true, &err) == 0;
	if (!r.works)
		note(&r, "%s", err.text);
	return r;
}

/* Whether the kernel shows where its functions are. */
static struct rung names_rung(void)
{
	struct rung r = { .what = "names of kernel functions" };
	char line[256];
	long restricted = proc_number("/proc/sys/kernel/kptr_restrict", 0);

	proc_line("/proc/kallsyms", line, sizeof(line));
	r.works = strspn(line, "0") < strcspn(line, " ");
	if (!r.works)
		note(&r,
		     "/proc/kallsyms shows no addresses: 'sysctl kernel.kptr_restrict=0' (it is %ld) and kernel.perf_event_paranoid=1, or CAP_SYSLOG, change that",
		     restricted);
	return r;
}

static struct rung memory_rung(void)
{
	struct rung r = { .what = "stacks deeper than 64 KB", .works = true };
	long scope = proc_number("/proc/sys/kernel/yama/ptrace_scope", 0);

	if (geteuid() == 0 || scope == 0)
		return r;
	r.works = false;
	note(&r,
	     "of running programs they are completed from earlier samples only; 'sysctl kernel.yama.ptrace_scope=0' (it is %ld) or CAP_SYS_PTRACE lets wick read them; programs that wick starts are not affected",
	     scope);
	return r;
}

static void climb(struct rung rungs[RUNGS])
{
	struct event_choice c;
	struct error err = { 0 };
	int code = event_choose(&c, 99, false, &err);

	rungs[0] = own_rung(code, &err);
	rungs[1] = cycles_rung(&c, code);
	rungs[2] = kernel_rung(&c, code);
	rungs[3] = whole_rung();
	rungs[4] = names_rung();
	rungs[5] = memory_rung();
}

void permit_write(struct sink *out)
{
	struct rung rungs[RUNGS];

	climb(rungs);
	sink_text(out, "what wick record can see here:\n");
	for (unsigned i = 0; i < RUNGS; i++) {
		sink_format(out, "  %-26s %s\n", rungs[i].what,
			    rungs[i].works ? "yes" : "no");
		if (*rungs[i].why)
			sink_format(out, "      %s\n", rungs[i].why);
	}
	sink_format(out, "  %-26s %u\n", "samples a second, at most",
		    event_max_rate());
}

void permit_json(struct json *j)
{
	struct rung rungs[RUNGS];

	climb(rungs);
	json_open(j, '{');
	json_key(j, "record");
	json_open(j, '[');
	for (unsigned i = 0; i < RUNGS; i++) {
		json_open(j, '{');
		json_key(j, "what");
		json_text(j, rungs[i].what);
		json_key(j, "works");
		json_bool(j, rungs[i].works);
		json_key(j, "why");
		json_text(j, rungs[i].why);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_key(j, "max_rate");
	json_uint(j, event_max_rate());
	json_close(j, '}');
}
