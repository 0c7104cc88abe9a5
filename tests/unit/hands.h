/* SPDX-License-Identifier: MIT */
/* Workers for tests: some at the same time, some in an odd order. */
#ifndef WICK_TESTS_HANDS_H
#define WICK_TESTS_HANDS_H

#include <pthread.h>

#include "base/workers.h"
#include "test.h"

struct hand {
	pthread_t thread;
	workers_job *job;
	void *context;
	unsigned number;
};

static inline void *run_hand(void *context)
{
	struct hand *h = context;

	h->job(h->context, h->number);
	return NULL;
}

/* At the same time, who share the work as it happens. */
static inline void run_together(unsigned count, workers_job *job, void *context)
{
	struct hand hands[WORKERS_MAX];

	for (unsigned i = 0; i < count; i++) {
		hands[i] = (struct hand){ .job = job,
					  .context = context,
					  .number = i };
		CHECK_EQ(pthread_create(&hands[i].thread, NULL, run_hand,
					&hands[i]),
			 0);
	}
	for (unsigned i = 0; i < count; i++)
		pthread_join(hands[i].thread, NULL);
}

/* One after the other, the last first, as when no thread can be had. */
static inline void run_backwards(unsigned count, workers_job *job,
				 void *context)
{
	while (count-- > 0)
		job(context, count);
}

#endif /* WICK_TESTS_HANDS_H */
