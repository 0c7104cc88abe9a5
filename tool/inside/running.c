/* SPDX-License-Identifier: MIT */
/*
 * See running.h.  Each process has a pipe with a name, the door: while we have
 * it open, its agent records; when its agent has closed it, all is written.  So
 * both sides know at once when the other has ended, however that happens.
 */
#include "inside/running.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/visit.h"
#include "collect/collect.h"
#include "collect/program.h"
#include "collect/signals.h"
#include "inside/assemble.h"
#include "inside/inject.h"
#include "inside/lodging.h"
#include "inside/refusal.h"

enum { TICK_MS = 100, STOP_TICKS = 100, PATH_SIZE = 2 * LODGING_PATH };

/* A process that the agent is in. */
struct host {
	pid_t pid;
	struct lodging lodging;
	int door; /* -1: it is closed */
};

struct running {
	const struct collect_options *o;
	struct signals signals;
	struct program none;
	struct host *hosts;
	unsigned count; /* of those that were begun with */
	int64_t begin;
	int64_t end;
};

/* We are at both ends, so that neither the agent nor we wait for the other. */
static int make_door(struct host *h, struct error *err)
{
	char path[PATH_SIZE];

	fmt_text(path, sizeof(path), "%s/" VISIT_DOOR, h->lodging.here);
	if (mkfifoat(h->lodging.fd, VISIT_DOOR, 0644) < 0)
		return error_set_errno(err, -errno, "cannot make '%s'", path);
	h->door = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (h->door < 0)
		return error_set_errno(err, -errno, "cannot open '%s'", path);
	return 0;
}

/* Now the agent alone is at the other end; its end is seen. */
static void leave_other_end(struct host *h)
{
	int both = h->door;
	char path[PATH_SIZE];

	fmt_text(path, sizeof(path), "%s/" VISIT_DOOR, h->lodging.here);
	/* Without a reader it fails: the process has ended. */
	h->door = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	close(both);
}

/* What is mapped, and what is open, needs no names; fewer are left behind. */
static void remove_names(const struct host *h)
{
	(void)unlinkat(h->lodging.fd, VISIT_DOOR, 0);
	(void)unlinkat(h->lodging.fd, VISIT_LIBRARY, 0);
}

/* Refuses before anything is made. */
static int check(pid_t pid, struct error *err)
{
	int memory;
	int r = refusal(pid, &memory, err);

	if (r == 0)
		close(memory);
	return r;
}

static int visit(struct host *h, unsigned hertz, struct error *err)
{
	char library[PATH_SIZE];
	const struct injection i = { .pid = h->pid,
				     .library = library,
				     .folder = h->lodging.path,
				     .hertz = hertz };
	int r = check(h->pid, err);

	if (r == 0)
		r = lodging_make(&h->lodging, h->pid, err);
	fmt_text(library, sizeof(library), "%s/" VISIT_LIBRARY,
		 h->lodging.path);
	if (r == 0)
		r = make_door(h, err);
	if (r == 0)
		r = inject(&i, err);
	if (r == 0) {
		leave_other_end(h);
		remove_names(h);
	}
	return r;
}

static int visit_all(struct running *v, struct error *err)
{
	int r = 0;

	while (v->count < v->o->pid_count && r == 0) {
		struct host *h = &v->hosts[v->count];

		*h = (struct host){ .pid = v->o->pids[v->count],
				    .lodging = { .parent = -1, .fd = -1 },
				    .door = -1 };
		v->count++;
		r = visit(h, v->o->hertz, err);
	}
	return r;
}

/* Waits a moment for a signal to us. */
static void wait_tick(struct running *v)
{
	struct pollfd fd = { .fd = v->signals.fd, .events = POLLIN };

	if (poll(&fd, 1, TICK_MS) > 0)
		signals_take(&v->signals, &v->none);
}

/* How many are still there; doors that the other side has closed are closed. */
static unsigned count_open(struct running *v)
{
	unsigned count = 0;

	for (unsigned i = 0; i < v->count; i++) {
		struct host *h = &v->hosts[i];
		struct pollfd fd = { .fd = h->door };

		if (h->door < 0)
			continue;
		count++;
		if (poll(&fd, 1, 0) <= 0)
			continue;
		close(h->door);
		h->door = -1;
	}
	return count;
}

static void run(struct running *v)
{
	while (count_open(v) && !v->signals.interrupted &&
	       assemble_now() < v->end)
		wait_tick(v);
}

/* Asks all to end, and waits until they have. */
static void stop(struct running *v)
{
	for (unsigned i = 0; i < v->count; i++)
		if (v->hosts[i].door >= 0)
			/* Who does not hear it sees the door closed. */
			(void)!write(v->hosts[i].door, "", 1);
	for (unsigned i = 0; i < STOP_TICKS && count_open(v); i++)
		poll(NULL, 0, TICK_MS / 10);
}

static int finish(struct running *v, struct error *err)
{
	const char **folders = calloc(v->count + 1, sizeof(*folders));
	struct assembly a = { .folders = folders,
			      .began = v->begin,
			      .until = INT64_MAX };
	int r;

	if (!folders)
		return error_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < v->count; i++)
		folders[i] = v->hosts[i].lodging.here;
	/* Of several, files are looked for where they are here. */
	if (v->count == 1 && *v->hosts[0].lodging.root)
		a.root = v->hosts[0].lodging.root;
	r = assemble(v->o, &a, err);
	if (r == -ENOENT)
		r = error_set(err, r,
			      "the process was gone in its first "
			      "second: nothing was recorded");
	free(folders);
	return r;
}

static void begin(struct running *v)
{
	v->begin = assemble_now();
	v->end = v->begin + (int64_t)v->o->delay_ms * 1000000;
	while (assemble_now() < v->end && !v->signals.interrupted)
		wait_tick(v);
	v->end = INT64_MAX;
}

static void release(struct running *v)
{
	for (unsigned i = 0; i < v->count; i++) {
		if (v->hosts[i].door >= 0)
			close(v->hosts[i].door);
		lodging_remove(&v->hosts[i].lodging);
	}
	free(v->hosts);
}

int collect_running(const struct collect_options *o, struct collect_result *ret,
		    struct error *err)
{
	struct running v = { .o = o, .none = { .go = -1, .failed = -1 } };
	int r;

	v.hosts = calloc(o->pid_count, sizeof(*v.hosts));
	if (!v.hosts)
		return error_set(err, -ENOMEM, "out of memory");
	signals_watch(&v.signals);
	begin(&v);
	r = visit_all(&v, err);
	if (r == 0 && o->seconds_ms)
		v.end = assemble_now() + (int64_t)o->seconds_ms * 1000000;
	if (r == 0)
		run(&v);
	stop(&v);
	if (r == 0)
		r = finish(&v, err);
	release(&v);
	ret->status = 0;
	ret->interrupted = v.signals.interrupted;
	signals_unwatch(&v.signals);
	return r;
}
