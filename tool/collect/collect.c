/* SPDX-License-Identifier: MIT */
/*
 * A recording from its beginning to its end.  This thread unwinds and writes;
 * another empties the rings, a third reads binaries.
 */
#include "collect/collect.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sink.h"
#include "collect/attach.h"
#include "collect/cgroup.h"
#include "collect/drain.h"
#include "collect/kernelnames.h"
#include "collect/names.h"
#include "collect/program.h"
#include "collect/progress.h"
#include "collect/recorder.h"
#include "collect/rings.h"
#include "collect/signals.h"
#include "collect/summary.h"
#include "term/message.h"

#define MS UINT64_C(1000000)

enum {
	TICK_MS = 100,
	FLUSH_MS = 1000,
	JUDGE_SAMPLES = 200, /* to choose the size of copies by */
};

/* One recording under way. */
struct collection {
	const struct collect_options *o;
	struct recorder *recorder;
	struct rings rings;
	struct drain *drain;
	struct program program;
	struct attachment attachment;
	VEC(int) pidfd; /* of the processes; -1: ended */
	unsigned alive;
	struct signals signals;
	uint64_t begin;
	uint64_t next_flush;
	bool delayed;
	bool by_processor; /* all are sampled, some are kept */
	struct kernel_names kernel;
	bool draining;
	bool refused; /* perf events are */
	bool show;
};

/* Each thread and processor takes two descriptors. */
static void raise_limits(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files); /* then with what there is */
}

/* The rings for those who have events of their own. */
static struct rings *own_rings(struct collection *c)
{
	return c->by_processor ? NULL : &c->rings;
}

/* Wants to hear of the ends of processes that were attached to. */
static int watch_processes(struct collection *c, struct error *err)
{
	struct attachment *a = &c->attachment;

	while (c->pidfd.count < a->processes.count) {
		pid_t pid = a->processes.at[c->pidfd.count];
		int *fd = VEC_PUSH(&c->pidfd, &a->arena);

		if (!fd)
			return error_set(err, -ENOMEM, "out of memory");
		*fd = (int)syscall(SYS_pidfd_open, pid, 0);
		c->alive += *fd >= 0;
	}
	return 0;
}

static int attach_all(struct collection *c, struct error *err)
{
	const struct collect_options *o = c->o;
	int r = 0;

	for (unsigned i = 0; i < o->pid_count && r == 0; i++)
		r = attach_process(&c->attachment, own_rings(c),
				   &c->recorder->tasks, o->pids[i], err);
	return r < 0 ? r : watch_processes(c, err);
}

/* Attaches to those who have joined the group that is recorded. */
static void attach_joiners(struct collection *c)
{
	struct pid_list list = { 0 };

	if (c->o->find && c->o->find(&list, NULL) == 0)
		attach_new(&c->attachment, own_rings(c), &c->recorder->tasks,
			   &list);
	(void)watch_processes(c, NULL); /* or they end unseen */
	arena_release(&list.arena);
}

/* Counts the processes that are still there. */
static void poll_processes(struct collection *c)
{
	for (uint32_t i = 0; i < c->pidfd.count; i++) {
		struct pollfd p = { .fd = c->pidfd.at[i], .events = POLLIN };

		if (p.fd < 0 || poll(&p, 1, 0) <= 0)
			continue;
		close(p.fd);
		c->pidfd.at[i] = -1;
		c->alive--;
	}
}

/*
 * Starts to sample processors, when somebody empties their rings, and only then
 * looks for what is of interest: what starts meanwhile is heard of.
 */
static int start_processors(struct collection *c, struct error *err)
{
	if (!c->delayed)
		rings_start(&c->rings);
	if (c->o->whole)
		return 0;
	if (c->o->pids)
		return attach_all(c, err);
	if (!tasks_choose(&c->recorder->tasks, c->program.pid, true))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int open_events(struct collection *c, struct error *err)
{
	const struct collect_options *o = c->o;
	struct event_choice choice;
	int r = event_choose(&choice, o->hertz, o->whole, err);

	if (r == 0)
		r = recorder_init(c->recorder, &choice, err);
	if (r == 0)
		r = rings_init(&c->rings, &choice, err);
	if (r < 0)
		return r;
	c->rings.deep = true;
	c->delayed = o->delay_ms > 0;
	c->by_processor = !o->whole && !c->delayed &&
			  event_by_processor(&choice, c->rings.count);
	c->recorder->tasks.chosen_only = c->by_processor;
	c->rings.patient = c->by_processor;
	if ((o->whole || c->by_processor) && choice.kind == EVENT_CPU_CLOCK)
		c->recorder->ticks.period = choice.nanoseconds;
	c->recorder->interner.no_program = o->whole;
	if (o->whole || c->by_processor)
		return rings_add(&c->rings, -1, err);
	c->rings.started = !c->delayed && !o->argv;
	c->rings.on_exec = !c->delayed && o->argv;
	if (o->pids)
		return attach_all(c, err);
	r = rings_add(&c->rings, c->program.pid, err);
	c->rings.started = c->rings.on_exec;
	return r;
}

/* The command line, or what else is recorded. */
static void describe(const struct collect_options *o, struct sink *out)
{
	sink_text(out, o->who ? o->who : "");
	for (char **a = o->argv; a && *a; a++)
		sink_format(out, "%s%s", a == o->argv ? "" : " ", *a);
	sink_char(out, '\0');
}

static int open_file(struct collection *c, struct error *err)
{
	struct sink what = sink_to_memory(&c->attachment.arena);

	describe(c->o, &what);
	return recorder_open(c->recorder, c->o->output,
			     (const char *)sink_bytes(&what).at, err);
}

static int begin(struct collection *c, struct error *err)
{
	const struct collect_options *o = c->o;
	int r = 0;

	signals_watch(&c->signals);
	if (o->argv)
		r = program_prepare(&c->program, o->argv, &c->signals.old_mask,
				    err);
	if (r < 0)
		return r;
	raise_limits();
	r = open_events(c, err);
	c->refused = r == -EACCES || r == -EPERM || r == -ENOSYS;
	if (r == 0)
		r = open_file(c, err);
	if (r == 0)
		r = drain_start(c->drain, &c->rings, &c->recorder->batches,
				err);
	if (r < 0)
		return r;
	c->draining = true;
	if (o->whole || c->by_processor)
		r = start_processors(c, err);
	if (r == 0 && o->argv)
		r = program_go(&c->program, o->argv[0], err);
	if (r < 0) {
		/* It would have nothing in it. */
		unlink(o->output);
		return r;
	}
	c->begin = recorder_now();
	c->next_flush = c->begin + FLUSH_MS * MS;
	return r;
}

static bool is_over(struct collection *c)
{
	const struct collect_options *o = c->o;
	uint64_t end = c->begin + (o->delay_ms + o->seconds_ms) * MS;

	if (c->signals.interrupted || (o->seconds_ms && recorder_now() >= end))
		return true;
	if (o->argv)
		return c->program.ended;
	if (o->whole)
		return false;
	poll_processes(c);
	return !c->alive;
}

static void wait_for_work(struct collection *c)
{
	struct pollfd p[] = {
		{ .fd = c->recorder->batches.wake, .events = POLLIN },
		{ .fd = c->signals.fd, .events = POLLIN },
	};
	uint64_t count;

	if (poll(p, 2, TICK_MS) <= 0)
		return;
	(void)!read(p[0].fd, &count, sizeof(count)); /* only to empty it */
	if (p[1].revents)
		signals_take(&c->signals, &c->program);
}

/*
 * Copies of stacks are large at first, since what a program does as it starts
 * is gone soon, and then small unless one in 500 stacks needs more.  Only who
 * has deep stacks pays for large ones: the kernel copies what there is.
 */
static void judge_copies(struct collection *c)
{
	struct recorder_counts *n = &c->recorder->counts;

	if (n->recent < JUDGE_SAMPLES)
		return;
	rings_set_deep(&c->rings, n->outgrown * 500 > n->recent);
	n->recent = n->outgrown = 0;
}

static int every_second(struct collection *c, struct error *err)
{
	if (recorder_now() < c->next_flush)
		return 0;
	c->next_flush += FLUSH_MS * MS;
	attach_joiners(c);
	if (c->show)
		progress_show(c->recorder);
	return recorder_flush(c->recorder, err);
}

static int run(struct collection *c, struct error *err)
{
	int r = 0;

	while (r == 0 && !is_over(c)) {
		wait_for_work(c);
		if (c->delayed &&
		    recorder_now() >= c->begin + c->o->delay_ms * MS) {
			c->delayed = false;
			rings_start(&c->rings);
		}
		recorder_work(c->recorder);
		if (c->recorder->interner.kernel && !c->o->no_symbols)
			kernel_names_begin(&c->kernel);
		judge_copies(c);
		r = every_second(c, err);
	}
	return r;
}

/* Stops the events and uses what they have left. */
static void stop(struct collection *c)
{
	struct recorder *r = c->recorder;
	uint64_t lost;

	rings_stop(&c->rings);
	if (c->draining)
		drain_stop(c->drain);
	c->draining = false;
	recorder_finish(r);
	/* Losses are said in passing only with the next record that fits. */
	lost = rings_lost(&c->rings);
	if (lost > r->counts.lost)
		r->counts.lost = lost;
	rings_close(&c->rings);
	if (c->show)
		progress_clear();
}

static int finish(struct collection *c, struct error *err)
{
	struct recorder *r = c->recorder;
	int code = recorder_flush(r, err);

	if (code == 0 && !c->o->no_symbols && names_find(r, &c->kernel) < 0)
		code = error_set(err, -ENOMEM, "out of memory for names");
	if (code == 0)
		code = recorder_close(r, err);
	return code;
}

static void release(struct collection *c)
{
	for (uint32_t i = 0; i < c->pidfd.count; i++)
		if (c->pidfd.at[i] >= 0)
			close(c->pidfd.at[i]);
	attachment_release(&c->attachment);
	kernel_names_release(&c->kernel);
	recorder_release(c->recorder);
	free(c->recorder);
	free(c->drain);
	signals_unwatch(&c->signals);
}

int collect(const struct collect_options *o, struct collect_result *ret,
	    bool *ret_refused, struct error *err)
{
	struct collection c = {
		.o = o,
		.recorder = calloc(1, sizeof(*c.recorder)),
		.drain = calloc(1, sizeof(*c.drain)),
		.program = { .go = -1, .failed = -1 },
	};
	bool started;
	int r;

	if (!c.recorder || !c.drain)
		return error_set(err, -ENOMEM, "out of memory");
	c.show = !o->quiet && isatty(STDERR_FILENO) &&
		 !(o->argv && isatty(STDOUT_FILENO));
	r = begin(&c, err);
	started = r == 0;
	if (started)
		r = run(&c, err);
	stop(&c);
	if (r == 0)
		r = finish(&c, err);
	if (r == 0 && !o->quiet)
		summary_write(c.recorder, &c.program, o);
	if (r < 0 && started && c.program.pid && !c.program.ended)
		message("%s; the program goes on unrecorded", err->text);
	if (started)
		/* The program goes on after its recording. */
		signals_wait(&c.signals, &c.program);
	program_end(&c.program);
	ret->status = program_status(&c.program);
	ret->interrupted = c.signals.interrupted;
	*ret_refused = c.refused;
	release(&c);
	return r;
}
