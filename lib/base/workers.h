/* SPDX-License-Identifier: MIT */
/*
 * Doing things at the same time, for code that knows nothing of threads: who
 * calls it lends it workers.
 */
#ifndef WICK_BASE_WORKERS_H
#define WICK_BASE_WORKERS_H

enum { WORKERS_MAX = 8 };

/*
 * The last member of what a worker has for itself in an array of such:
 * processors that write to the same line of memory wait for each other.
 */
#define WORKERS_APART char apart[64]

typedef void workers_job(void *context, unsigned number);

struct workers {
	unsigned count; /* from 1 to WORKERS_MAX */
	/* Calls job with the numbers below count, and returns when all have
	 * returned. */
	void (*run)(unsigned count, workers_job *job, void *context);
};

/* How many can work at the same time: the processors that this process may run
 * on, which may be fewer than there are. */
unsigned workers_useful(void);

/* How many parts a piece of work is best cut into; NULL: there is one worker.
 */
static inline unsigned workers_parts(const struct workers *w)
{
	return w ? w->count : 1;
}

static inline void workers_run(const struct workers *w, workers_job *job,
			       void *context)
{
	if (w && w->count > 1)
		w->run(w->count, job, context);
	else
		job(context, 0);
}

#endif /* WICK_BASE_WORKERS_H */
