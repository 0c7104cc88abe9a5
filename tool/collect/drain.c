/* SPDX-License-Identifier: MIT */
/* See drain.h. */
#include "collect/drain.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/batch.h"
#include "collect/record.h"
#include "collect/rings.h"

enum {
	/*
	 * Rings that fill slowly are looked at so often; more often at first,
	 * since what starts a program often makes way for another soon.
	 */
	IDLE_MS = 10,
	FIRST_MS = 2,
	EVENTS = 64,
	STACK_LEAST = 4096,
	PRIORITY = -10,
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

/*
 * How much of stacks to keep: all, unless so much waits that samples would be
 * lost; then rather their callers than they.
 */
static size_t stack_to_keep(const struct drain *d)
{
	size_t size = batches_size(d->to);

	if (size < BATCHES_SIZE / 8 * 5)
		return SIZE_MAX;
	return size < BATCHES_SIZE / 8 * 7 ? STACK_SMALL : STACK_LEAST;
}

/* Hands over what has been taken out of the rings. */
static void hand_over(struct drain *d, uint64_t complete)
{
	/* Without memory, records are lost: there is nowhere to say so. */
	(void)batch_put(d->to, span_of(d->bytes, d->used), complete);
	d->used = 0;
}

static void empty_ring(struct drain *d, struct ring *ring)
{
	size_t taken;

	do {
		if (DRAIN_SIZE - d->used < RECORD_MAX)
			hand_over(d, 0);
		taken = ring_take(ring, d->bytes + d->used,
				  DRAIN_SIZE - d->used, stack_to_keep(d));
		d->used += taken;
	} while (taken);
}

static void empty_all(struct drain *d)
{
	uint64_t complete = now() - LATE_NS;

	for (unsigned i = 0; i < d->rings->count; i++)
		empty_ring(d, &d->rings->ring[i]);
	hand_over(d, complete);
}

/* True: it is time to stop. */
static bool wait_for_records(const struct drain *d, int epoll, uint64_t since)
{
	const uint64_t first = 500000000;
	struct epoll_event events[EVENTS];
	int n = epoll_wait(epoll, events, EVENTS,
			   now() - since < first ? FIRST_MS : IDLE_MS);

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
	const uint64_t since = now();
	bool stop = false;

	/*
	 * Little work that must not wait behind a thousand busy threads; who
	 * may not ask for it has a larger risk of losing samples.
	 */
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), PRIORITY);
	epoll_ctl(epoll, EPOLL_CTL_ADD, d->stop, &event);
	for (unsigned i = 0; i < d->rings->count; i++) {
		/* On the edge: an event whose task is gone stays ready. */
		event.events = EPOLLIN | EPOLLET;
		event.data.fd = d->rings->event[i];
		epoll_ctl(epoll, EPOLL_CTL_ADD, d->rings->event[i], &event);
	}
	while (!stop) {
		stop = wait_for_records(d, epoll, since);
		empty_all(d);
	}
	close(epoll);
	return NULL;
}

int drain_start(struct drain *d, struct rings *rings, struct batches *to,
		struct error *err)
{
	int r;

	d->rings = rings;
	d->to = to;
	d->used = 0;
	d->stop = eventfd(0, EFD_CLOEXEC);
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
