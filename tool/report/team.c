/* SPDX-License-Identifier: MIT */
/* See team.h. */
#include "report/team.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/workers.h"

enum {
	TEAM_MAX = 4,
	WORTH_IT = 100000, /* stacks: a thread costs some ten microseconds */
};

struct member {
	pthread_t thread;
	workers_job *job;
	void *context;
	unsigned number;
	bool started;
};

static void *work(void *context)
{
	struct member *m = context;

	m->job(m->context, m->number);
	return NULL;
}

/* What no thread can be had for is done here, after the rest. */
static void run(unsigned count, workers_job *job, void *context)
{
	struct member members[WORKERS_MAX];

	for (unsigned i = 1; i < count; i++) {
		members[i] = (struct member){ .job = job,
					      .context = context,
					      .number = i };
		members[i].started = pthread_create(&members[i].thread, NULL,
						    work, &members[i]) == 0;
	}
	job(context, 0);
	for (unsigned i = 1; i < count; i++) {
		if (members[i].started)
			pthread_join(members[i].thread, NULL);
		else
			job(context, i);
	}
}

const struct workers *team_for(uint32_t stacks)
{
	static const struct workers teams[] = {
		[2] = { 2, run },
		[3] = { 3, run },
		[4] = { 4, run },
	};
	unsigned cpus = stacks < WORTH_IT ? 1 : workers_useful();

	if (cpus < 2)
		return NULL;
	return &teams[cpus < TEAM_MAX ? cpus : TEAM_MAX];
}
