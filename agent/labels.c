/* SPDX-License-Identifier: MIT */
/* See labels.h. */
#include "agent/labels.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/futex.h"
#include "agent/sampler.h"
#include "agent/state.h"

static int map_blocks(void)
{
	const size_t size = LABEL_THREADS * sizeof(*agent.labels);
	void *p;

	if (agent.labels)
		return 0;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	(void)madvise(p, size, MADV_DONTFORK);
	agent.labels = p;
	return 0;
}

static bool is_gone(int32_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) < 0 && errno == ESRCH;
}

static struct label_block *claim(int32_t tid)
{
	for (uint32_t i = 0; i < LABEL_THREADS; i++) {
		struct label_block *b = &agent.labels[i];
		int32_t owner = atomic_load(&b->tid);

		/* A number that is used again may be our own. */
		if (owner && owner != tid && !is_gone(owner))
			continue;
		b->half[0].used = 0;
		b->half[1].used = 0;
		atomic_store(&b->tid, tid);
		return b;
	}
	return NULL;
}

/* The calling thread's block; NULL: no room. */
static struct label_block *own_block(void)
{
	int saved = errno;

	if (thread_labels)
		return thread_labels;
	futex_lock(&agent.start_lock);
	if (map_blocks() == 0)
		thread_labels = claim((int32_t)gettid());
	futex_unlock(&agent.start_lock);
	/* It may be new, and where the agent is linked nobody tells of it. */
	sampler_seek_threads();
	errno = saved;
	return thread_labels;
}

/* Copies all labels but that of key (NULL: none is left). */
static void copy_without(const struct label_half *from, struct label_half *to,
			 const char *key)
{
	const char *end = from->bytes + from->used;

	to->used = 0;
	for (const char *at = from->bytes; key && at < end;) {
		const char *value = at + strlen(at) + 1;
		const char *next = value + strlen(value) + 1;

		if (strcmp(at, key) != 0) {
			memcpy(to->bytes + to->used, at, (size_t)(next - at));
			to->used += (uint32_t)(next - at);
		}
		at = next;
	}
}

/* The half that nobody reads, with all labels but that of key. */
static struct label_half *other_half(struct label_block *b, const char *key)
{
	uint32_t version = atomic_load_explicit(&b->version,
						memory_order_relaxed);
	struct label_half *to = &b->half[~version & 1];

	copy_without(&b->half[version & 1], to, key);
	return to;
}

/* From here on the other half counts; a handler of this thread sees it. */
static void flip(struct label_block *b)
{
	atomic_fetch_add_explicit(&b->version, 1, memory_order_release);
}

int labels_set(const char *key, const char *value)
{
	struct label_block *b;
	struct label_half *to;
	size_t key_size, value_size;

	if (!key || !*key || !value)
		return -EINVAL;
	b = own_block();
	if (!b)
		return -ENOMEM;
	to = other_half(b, key);
	key_size = strlen(key) + 1;
	value_size = strlen(value) + 1;
	if (value_size > LABEL_BYTES || key_size > LABEL_BYTES ||
	    to->used + key_size + value_size > LABEL_BYTES)
		return -ENOSPC;
	memcpy(to->bytes + to->used, key, key_size);
	memcpy(to->bytes + to->used + key_size, value, value_size);
	to->used += (uint32_t)(key_size + value_size);
	flip(b);
	return 0;
}

void labels_clear(const char *key)
{
	if (!thread_labels)
		return;
	(void)other_half(thread_labels, key);
	flip(thread_labels);
}

/* The number of a name, which stays; 0: there is no room for another. */
static uint32_t mark_of(const char *phase)
{
	uint32_t i = 1;

	while (i <= agent.mark_count &&
	       strncmp(agent.marks[i], phase, sizeof(agent.marks[i]) - 1) != 0)
		i++;
	if (i == MARKS_MAX)
		return 0;
	if (i > agent.mark_count) {
		memcpy(agent.marks[i], phase,
		       strnlen(phase, sizeof(agent.marks[i]) - 1));
		agent.mark_count = i;
	}
	return i;
}

int labels_mark(const char *phase)
{
	uint32_t mark = 0;

	if (phase) {
		futex_lock(&agent.mark_lock);
		mark = mark_of(phase);
		futex_unlock(&agent.mark_lock);
		if (!mark)
			return -ENOSPC;
	}
	/* The name was written before; handlers only copy the number. */
	atomic_store_explicit(&agent.mark, mark, memory_order_release);
	return 0;
}
