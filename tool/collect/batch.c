/* SPDX-License-Identifier: MIT */
/* See batch.h. */
#include "collect/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int batches_init(struct batches *b)
{
	*b = (struct batches){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.freed = PTHREAD_COND_INITIALIZER,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	b->last = &b->first;
	return b->wake < 0 ? -errno : 0;
}

static void free_list(struct batch *one)
{
	while (one) {
		struct batch *next = one->next;

		free(one);
		one = next;
	}
}

void batches_release(struct batches *b)
{
	free_list(b->first);
	free_list(b->spare);
	close(b->wake);
}

/* A spare one, or a new one if there may be more; NULL: wait. */
static struct batch *find_spare(struct batches *b)
{
	struct batch *one = b->spare;

	if (one) {
		b->spare = one->next;
		return one;
	}
	if (b->count == BATCHES)
		return NULL;
	one = malloc(sizeof(*one));
	b->count += one != NULL;
	return one;
}

struct batch *batch_new(struct batches *b)
{
	struct batch *one;

	pthread_mutex_lock(&b->lock);
	while (!(one = find_spare(b)) && b->count)
		pthread_cond_wait(&b->freed, &b->lock);
	pthread_mutex_unlock(&b->lock);
	if (one) {
		one->next = NULL;
		one->complete = 0;
		one->left = 0;
		one->used = 0;
	}
	return one;
}

static void wake_reader(const struct batches *b)
{
	const uint64_t one = 1;

	/* It fails only if the count is full: then it is readable anyway. */
	(void)!write(b->wake, &one, sizeof(one));
}

void batch_put(struct batches *b, struct batch *one)
{
	pthread_mutex_lock(&b->lock);
	*b->last = one;
	b->last = &one->next;
	pthread_mutex_unlock(&b->lock);
	wake_reader(b);
}

struct batch *batch_take(struct batches *b)
{
	struct batch *one;

	pthread_mutex_lock(&b->lock);
	one = b->first;
	if (one) {
		b->first = one->next;
		one->next = NULL;
	}
	if (!b->first)
		b->last = &b->first;
	pthread_mutex_unlock(&b->lock);
	return one;
}

void batch_free(struct batches *b, struct batch *one)
{
	pthread_mutex_lock(&b->lock);
	one->next = b->spare;
	b->spare = one;
	pthread_cond_signal(&b->freed);
	pthread_mutex_unlock(&b->lock);
}

void batches_close(struct batches *b)
{
	pthread_mutex_lock(&b->lock);
	b->closed = true;
	pthread_mutex_unlock(&b->lock);
	wake_reader(b);
}

bool batches_closed(struct batches *b)
{
	bool closed;

	pthread_mutex_lock(&b->lock);
	closed = b->closed && !b->first;
	pthread_mutex_unlock(&b->lock);
	return closed;
}
