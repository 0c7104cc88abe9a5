/* SPDX-License-Identifier: MIT */
/*
 * See parts.h.  A worker takes a buffer and the next rows, fills the one with
 * the other and leaves it to be written when all before it are, by whoever
 * completes the row; then it goes on, since waking each other up for every part
 * would cost more than the parts.  It waits only when no buffer is left, or
 * when its own is full before its turn has come.  Parts are given out in order
 * together with a buffer, so the first that is not done is always being worked
 * on: nobody waits for ever, however few threads there are.
 */
#include "report/parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/sink.h"
#include "base/workers.h"

enum {
	BUFFER = 256 << 10,
	BUFFERS_EACH = 4,
	BUFFERS_MAX = WORKERS_MAX * BUFFERS_EACH,
	AIM = BUFFER * 3 / 4, /* bytes that a part should have */
	FIRST_ROWS = 64,
	MOST_ROWS = 4096,
};

/* A part, with its buffer, which stays in the cache of its worker. */
struct part {
	struct queue *queue;
	unsigned worker;
	char *buf;
	size_t used; /* what is left to be written when it is done */
	uint64_t number;
	uint32_t first;
	uint32_t end;
	bool in_turn;	   /* its worker is the one that writes */
	struct part *next; /* free, or done */
};

/* What the workers share; lock guards all that changes. */
struct queue {
	const struct parts *p;
	struct sink *out; /* of whoever has set writing */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a part was written, a buffer came free */
	uint32_t row;	      /* the first that nobody has yet */
	uint64_t given;	      /* parts */
	uint64_t turn;	      /* the part to be written next */
	bool writing;
	int failed;			/* a negative errno; 0: go on */
	struct part *free[WORKERS_MAX]; /* by worker, the last used first */
	struct part *done;		/* not yet written, in no order */
	struct part parts[BUFFERS_MAX];
};

static struct part *pop(struct part **list)
{
	struct part *part = *list;

	if (part)
		*list = part->next;
	return part;
}

static void push(struct part **list, struct part *part)
{
	part->next = *list;
	*list = part;
}

/* The next rows and a buffer for them; NULL: there are none. */
static struct part *part_begin(struct queue *q, unsigned worker, uint32_t rows)
{
	struct part *part = NULL;
	uint32_t left;

	pthread_mutex_lock(&q->lock);
	while (!q->free[worker] && !q->failed && q->row < q->p->end)
		pthread_cond_wait(&q->moved, &q->lock);
	left = q->failed ? 0 : q->p->end - q->row;
	if (left) {
		part = pop(&q->free[worker]);
		part->number = q->given++;
		part->first = q->row;
		part->end = q->row += rows < left ? rows : left;
		part->in_turn = false;
	}
	pthread_mutex_unlock(&q->lock);
	return part;
}

/* The part whose turn it is, taken off those that are done; or NULL. */
static struct part *take_done(struct queue *q)
{
	for (struct part **at = &q->done; *at; at = &(*at)->next)
		if ((*at)->number == q->turn)
			return pop(at);
	return NULL;
}

static void write_part(struct queue *q, struct part *part)
{
	bool wanted = !q->failed;

	pthread_mutex_unlock(&q->lock);
	if (wanted)
		sink_write(q->out, part->buf, part->used);
	pthread_mutex_lock(&q->lock);
	if (!q->failed)
		q->failed = q->out->error;
	q->turn++;
	push(&q->free[part->worker], part);
	pthread_cond_broadcast(&q->moved);
}

/* Hands in a part, and writes it and those behind it if it is the next. */
static void part_end(struct part *part, int failed)
{
	struct queue *q = part->queue;

	pthread_mutex_lock(&q->lock);
	if (!q->failed)
		q->failed = failed;
	push(&q->done, part);
	if (part->in_turn)
		q->writing = false;
	if (!q->writing) {
		q->writing = true;
		while ((part = take_done(q)))
			write_part(q, part);
		q->writing = false;
		pthread_cond_broadcast(&q->moved);
	}
	pthread_mutex_unlock(&q->lock);
}

static void await_turn(struct part *part)
{
	struct queue *q = part->queue;

	pthread_mutex_lock(&q->lock);
	while (q->writing || q->turn != part->number)
		pthread_cond_wait(&q->moved, &q->lock);
	q->writing = true;
	pthread_mutex_unlock(&q->lock);
	part->in_turn = true;
}

/* More than its buffer holds can only be written in turn. */
static int take(void *context, struct span bytes)
{
	struct part *part = context;
	struct sink *out = part->queue->out;

	if (!part->in_turn)
		await_turn(part);
	sink_span(out, bytes);
	return out->error;
}

/* How many rows of the kind that was just written make a part. */
static uint32_t rows_for(uint32_t rows, uint64_t bytes)
{
	uint64_t want = bytes ? AIM * (uint64_t)rows / bytes : MOST_ROWS;

	if (want > MOST_ROWS)
		return MOST_ROWS;
	return want ? (uint32_t)want : 1;
}

static void work(void *context, unsigned number)
{
	struct queue *q = context;
	uint32_t rows = FIRST_ROWS;
	struct part *part;

	while ((part = part_begin(q, number, rows))) {
		struct sink out = sink_to_function(take, part, part->buf,
						   BUFFER);
		int r = q->p->put(q->p->context, number, part->first, part->end,
				  &out);

		rows = rows_for(part->end - part->first, out.total);
		part->used = out.used;
		part_end(part, r);
	}
}

int parts_write(const struct parts *p, struct sink *out)
{
	unsigned count = workers_parts(p->workers) * BUFFERS_EACH;
	struct arena arena = { 0 };
	struct queue q = {
		.p = p,
		.out = out,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.moved = PTHREAD_COND_INITIALIZER,
		.row = p->first,
	};
	char *buffers = arena_alloc(&arena, (size_t)count * BUFFER);

	if (!buffers)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		q.parts[i].queue = &q;
		q.parts[i].worker = i / BUFFERS_EACH;
		q.parts[i].buf = buffers + (size_t)i * BUFFER;
		push(&q.free[i / BUFFERS_EACH], &q.parts[i]);
	}
	workers_run(p->workers, work, &q);
	arena_release(&arena);
	return out->error ? 0 : q.failed;
}
