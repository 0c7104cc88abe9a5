/* SPDX-License-Identifier: MIT */
/*
 * Threads for the symbolizer.  Units are independent of each other, and so are
 * the functions and the lines of one unit: even a program of one huge unit
 * keeps two processors busy.  The largest units go first, so that no thread is
 * left alone with one at the end.
 */
#include "symbolize/prepare.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/workers.h"
#include "symbol/module.h"

enum {
	/* A mapping's pages are given back after this much has been read. */
	FORGET_AFTER = 4 << 20,
};

struct task {
	uint32_t unit;
	enum index_part part;
	uint64_t size;
};

struct work {
	struct module *module;
	struct task *task;
	uint32_t count;
	atomic_uint next; /* shared by the workers; order does not matter */
};

struct worker {
	struct work *work;
	struct builder *builder;
	pthread_t thread;
};

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	uint64_t unforgotten = 0;
	uint32_t i;

	for (;;) {
		i = atomic_fetch_add_explicit(&w->work->next, 1,
					      memory_order_relaxed);
		if (i >= w->work->count)
			return NULL;
		module_build(w->work->module, w->work->task[i].unit,
			     w->work->task[i].part, w->builder);
		unforgotten += w->work->task[i].size;
		if (unforgotten > FORGET_AFTER) {
			unforgotten = 0;
			module_forget_pages(w->work->module);
		}
	}
}

static void run_work(struct preparation *p, struct work *work)
{
	struct worker worker[PREPARE_THREADS];
	unsigned wanted = workers_useful();
	unsigned started = 1;

	if (wanted > PREPARE_THREADS)
		wanted = PREPARE_THREADS;
	if (wanted > work->count)
		wanted = work->count;
	for (unsigned i = 0; i < PREPARE_THREADS; i++)
		worker[i] = (struct worker){ .work = work,
					     .builder = &p->builder[i] };
	for (; started < wanted; started++)
		if (pthread_create(&worker[started].thread, NULL, run_worker,
				   &worker[started]))
			break;
	run_worker(&worker[0]);
	while (started-- > 1)
		pthread_join(worker[started].thread, NULL);
	module_forget_pages(work->module);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a;
	const struct task *y = b;

	return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

/* The addresses in ascending order, to be freed; NULL: out of memory. */
static struct sort_item *sorted(const uint64_t *address, size_t count)
{
	struct sort_item *items = calloc(2 * count, sizeof(*items));

	for (size_t i = 0; items && i < count; i++)
		items[i].key = address[i];
	if (items)
		sort_items(items, items + count, count);
	return items;
}

/* Adds the parts of a unit that are neither there nor in the cache, from which
 * b takes the others. */
static void add_tasks(struct work *work, uint32_t unit, struct builder *b)
{
	for (enum index_part p = 0; p < INDEX_PARTS; p++)
		if (!module_is_built(work->module, unit, p) &&
		    !module_take_cached(work->module, unit, p, b))
			work->task[work->count++] = (struct task){
				.unit = unit,
				.part = p,
			};
}

/* Lists what must be built; each unit once. */
static void list_tasks(struct work *work, const struct sort_item *address,
		       size_t count, bool *wanted, struct builder *b)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t unit = module_unit_of(work->module, address[i].key);

		if (unit == UINT32_MAX || wanted[unit])
			continue;
		wanted[unit] = true;
		add_tasks(work, unit, b);
	}
}

/* Builds what was listed. */
static void do_tasks(struct preparation *p, struct work *work)
{
	/* What stays unread for a failure here stays empty. */
	(void)module_load(work->module);
	for (uint32_t i = 0; i < work->count; i++)
		work->task[i].size = module_unit_size(work->module,
						      work->task[i].unit);
	qsort(work->task, work->count, sizeof(*work->task), compare_tasks);
	run_work(p, work);
}

void prepare_addresses(struct preparation *p, struct module *m,
		       const uint64_t *address, size_t count)
{
	uint32_t units = module_unit_count(m);
	size_t most = units < count ? units : count;
	bool *wanted = calloc(units, sizeof(*wanted));
	struct task *task = calloc(most * INDEX_PARTS, sizeof(*task));
	struct sort_item *items = sorted(address, count);
	struct work work = { .module = m, .task = task };

	if (wanted && task && items)
		list_tasks(&work, items, count, wanted, &p->builder[0]);
	free(items);
	if (work.count)
		do_tasks(p, &work);
	free(task);
	free(wanted);
}

void preparation_release(struct preparation *p)
{
	for (unsigned i = 0; i < PREPARE_THREADS; i++)
		builder_release(&p->builder[i]);
}
