/* SPDX-License-Identifier: MIT */
/* See drain.h. */
#include "collect/drain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/batch.h"
#include "collect/record.h"
#include "collect/rings.h"

enum {
	IDLE_MS = 50, /* rings that fill slowly are looked at so often */
	EVENTS = 64,
	/*
	 * The kernel takes the time of a record before it has made it
	 * visible, so the last moment is never complete.
	 */
	LATE_NS = 1000000,
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Empties a ring into batches; the last one is returned, not handed over. */
static struct batch *empty_ring(struct drain *d, struct ring *ring,
				struct batch *into)
{
	while (into && ring_waiting(ring)) {
		into->used += ring_take(ring, into->bytes + into->used,
					BATCH_SIZE - into->used);
		if (BATCH_SIZE - into->used >= RECORD_MAX)
			break;
		batch_put(d->to, into);
		into = batch_new(d->to);
	}
	return into;
}

static void empty_all(struct drain *d)
{
	uint64_t complete = now() - LATE_NS;
	struct batch *into = batch_new(d->to);

	for (unsigned i = 0; i < d->rings->count; i++)
		into = empty_ring(d, &d->rings->ring[i], into);
	if (!into)
		return;
	into->complete = complete;
	batch_put(d->to, into);
}

/* True: it is time to stop. */
static bool wait_for_records(const struct drain *d, int epoll)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(epoll, events, EVENTS, IDLE_MS);

	for (int i = 0; i < n; i++)
		if (events[i].data.fd == d->stop)
			return true;
	return false;
}

static void *drain_run(void *context)
{
	struct drain *d = context;
	struct epoll_event event = { .events = EPOLLIN, .data.fd = d->stop };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	bool stop = false;

	epoll_ctl(epoll, EPOLL_CTL_ADD, d->stop, &event);
	for (unsigned i = 0; i < d->rings->count; i++) {
		/* On the edge: an event whose task is gone stays ready. */
		event.events = EPOLLIN | EPOLLET;
		event.data.fd = d->rings->event[i];
		epoll_ctl(epoll, EPOLL_CTL_ADD, d->rings->event[i], &event);
	}
	while (!stop) {
		stop = wait_for_records(d, epoll);
		empty_all(d);
	}
	batches_close(d->to);
	close(epoll);
	return NULL;
}

int drain_start(struct drain *d, struct rings *rings, struct batches *to,
		struct error *err)
{
	int r;

	*d = (struct drain){ .rings = rings,
			     .to = to,
			     .stop = eventfd(0, EFD_CLOEXEC) };
	if (d->stop < 0)
		return error_set_errno(err, -errno, "cannot make an eventfd");
	r = pthread_create(&d->thread, NULL, drain_run, d);
	if (r) {
		close(d->stop);
		return error_set_errno(err, -r, "cannot start a thread");
	}
	return 0;
}

void drain_stop(struct drain *d)
{
	const uint64_t one = 1;

	/* A fresh eventfd takes a 1. */
	(void)!write(d->stop, &one, sizeof(one));
	pthread_join(d->thread, NULL);
	close(d->stop);
}
