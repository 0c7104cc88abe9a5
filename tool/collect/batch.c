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

void batches_release(struct batches *b)
{
	while (b->first) {
		struct batch *next = b->first->next;

		free(b->first);
		b->first = next;
	}
	if (b->last)
		close(b->wake);
}

static void wake_reader(const struct batches *b)
{
	const uint64_t one = 1;

	/* It fails only if the count is full: then it is readable anyway. */
	(void)!write(b->wake, &one, sizeof(one));
}

int batch_put(struct batches *b, struct span records, uint64_t complete)
{
	struct batch *one = malloc(sizeof(*one) + records.len);

	if (!one)
		return -ENOMEM;
	*one = (struct batch){ .complete = complete, .used = records.len };
	if (records.len)
		memcpy(one->bytes, records.at, records.len);
	pthread_mutex_lock(&b->lock);
	while (b->size && b->size + records.len > BATCHES_SIZE)
		pthread_cond_wait(&b->freed, &b->lock);
	b->size += records.len;
	*b->last = one;
	b->last = &one->next;
	pthread_mutex_unlock(&b->lock);
	wake_reader(b);
	return 0;
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
	b->size -= one->used;
	pthread_cond_signal(&b->freed);
	pthread_mutex_unlock(&b->lock);
	free(one);
}

size_t batches_size(struct batches *b)
{
	size_t size;

	pthread_mutex_lock(&b->lock);
	size = b->size;
	pthread_mutex_unlock(&b->lock);
	return size;
}
