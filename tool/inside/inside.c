/* SPDX-License-Identifier: MIT */
/* See inside.h. */
#include "inside/inside.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/visit.h"
#include "collect/collect.h"
#include "collect/program.h"
#include "collect/signals.h"
#include "inside/assemble.h"
#include "inside/lodging.h"

enum { PATH_SIZE = 4096, TICK_MS = 100 };

struct inside {
	const struct collect_options *o;
	struct program program;
	struct signals signals;
	struct lodging lodging;
	int64_t begin; /* nanoseconds of the epoch */
	int64_t end;
};

/* What tells the program's loader, and the agent, what to do. */
static int invite(const struct inside *v, struct error *err)
{
	const char *others = getenv("LD_PRELOAD");
	char preload[2 * PATH_SIZE], hertz[16];

	if (others && strlen(others) >= PATH_SIZE)
		return error_set(err, -E2BIG, "LD_PRELOAD is too long");
	fmt_text(preload, sizeof(preload), "%s/" VISIT_LIBRARY "%s%s",
		 v->lodging.path, others ? ":" : "", others ? others : "");
	fmt_text(hertz, sizeof(hertz), "%u", v->o->hertz);
	if (setenv("LD_PRELOAD", preload, 1) < 0 ||
	    setenv("WICK_RECORD", v->lodging.path, 1) < 0 ||
	    setenv("WICK_RECORD_HZ", hertz, 1) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Takes back what was meant for the program alone. */
static void uninvite(const char *preload)
{
	if (preload)
		(void)setenv("LD_PRELOAD", preload, 1); /* it was there */
	else
		unsetenv("LD_PRELOAD");
	unsetenv("WICK_RECORD");
	unsetenv("WICK_RECORD_HZ");
}

static int start(struct inside *v, struct error *err)
{
	const char *preload = getenv("LD_PRELOAD");
	char *kept = preload ? strdup(preload) : NULL;
	int r = lodging_make(&v->lodging, 0, err);

	if (r == 0)
		r = invite(v, err);
	if (r == 0)
		r = program_prepare(&v->program, v->o->argv,
				    &v->signals.old_mask, err);
	uninvite(kept);
	free(kept);
	return r < 0 ? r : program_go(&v->program, v->o->argv[0], err);
}

static void run(struct inside *v)
{
	const struct collect_options *o = v->o;
	struct pollfd fd = { .fd = v->signals.fd, .events = POLLIN };

	v->begin = assemble_now();
	v->end = o->seconds_ms
			 ? v->begin + (int64_t)(o->delay_ms + o->seconds_ms) *
					      1000000
			 : INT64_MAX;
	while (!v->program.ended && !v->signals.interrupted &&
	       assemble_now() < v->end)
		if (poll(&fd, 1, TICK_MS) > 0)
			signals_take(&v->signals, &v->program);
	/* Who is told to end has a moment to write its last piece. */
	if (v->signals.interrupted)
		program_end(&v->program);
}

static int finish(struct inside *v, struct error *err)
{
	const char *const folders[] = { v->lodging.here, NULL };
	const struct assembly a = {
		.folders = folders,
		.began = v->begin,
		.since = v->begin + (int64_t)v->o->delay_ms * 1000000 -
			 1000000000,
		.until = v->end,
	};
	int r = assemble(v->o, &a, err);

	if (r == -ENOENT)
		r = error_set(err, r,
			      "'%s' loaded no library: it is static, or of Go, "
			      "or ended in its first second by a signal",
			      v->o->argv[0]);
	return r;
}

int collect_inside(const struct collect_options *o, struct collect_result *ret,
		   struct error *err)
{
	struct inside v = { .o = o, .program = { .go = -1, .failed = -1 } };
	int r;

	signals_watch(&v.signals);
	r = start(&v, err);
	if (r == 0) {
		run(&v);
		r = finish(&v, err);
		signals_wait(&v.signals, &v.program);
	}
	program_end(&v.program);
	ret->status = program_status(&v.program);
	ret->interrupted = v.signals.interrupted;
	signals_unwatch(&v.signals);
	lodging_remove(&v.lodging);
	return r;
}
