/* SPDX-License-Identifier: MIT */
/* The ring between signal handlers and the agent's thread. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "agent/ring.h"
#include "test.h"

enum { SIZE = 4096, THREADS = 4, EACH = 20000 };

static struct ring ring;

static struct ring_record *put(uint32_t len, uint32_t kind)
{
	struct ring_record *r = ring_reserve(&ring, len);

	if (r)
		ring_commit(r, kind);
	return r;
}

TEST(records_come_in_their_order)
{
	uint64_t at;

	CHECK_EQ(ring_map(&ring, SIZE), 0);
	for (uint32_t i = 1; i <= 3; i++)
		CHECK(put(8 * i, i));
	at = ring_tail(&ring);
	for (uint32_t i = 1; i <= 3; i++) {
		const struct ring_record *r = ring_next(&ring, &at);

		CHECK(r);
		CHECK_EQ(r->kind, i);
		CHECK_EQ(r->len, 8 * i);
	}
	CHECK(!ring_next(&ring, &at));
}

TEST(a_record_that_is_not_done_holds_up_those_behind_it)
{
	struct ring_record *first;
	uint64_t at;

	CHECK_EQ(ring_map(&ring, SIZE), 0);
	first = ring_reserve(&ring, 64);
	CHECK(put(64, 2));
	at = ring_tail(&ring);
	CHECK(!ring_next(&ring, &at));
	ring_commit(first, 1);
	CHECK_EQ(ring_next(&ring, &at)->kind, 1);
	CHECK_EQ(ring_next(&ring, &at)->kind, 2);
}

TEST(a_full_ring_refuses_and_has_room_again_once_read)
{
	uint64_t at;
	unsigned count = 0;

	CHECK_EQ(ring_map(&ring, SIZE), 0);
	while (put(512, 1))
		count++;
	CHECK_EQ(count, SIZE / 512);
	at = ring_tail(&ring);
	while (ring_next(&ring, &at))
		count--;
	CHECK_EQ(count, 0);
	CHECK(!put(512, 1));
	ring_release(&ring, at);
	CHECK(put(512, 1));
	CHECK_EQ(ring_used(&ring), 512);
}

TEST(a_record_never_wraps_around)
{
	uint64_t at;

	CHECK_EQ(ring_map(&ring, SIZE), 0);
	CHECK(put(SIZE - 64, 1));
	at = ring_tail(&ring);
	CHECK(ring_next(&ring, &at));
	ring_release(&ring, at);
	CHECK(put(128, 7));
	CHECK_EQ(ring_next(&ring, &at)->kind, 7);
	CHECK_EQ(ring_next(&ring, &at), NULL);
	CHECK_EQ(at, SIZE + 128);
}

static void *write_many(void *context)
{
	uint32_t writer = *(const uint32_t *)context;

	for (uint32_t i = 0; i < EACH; i++) {
		struct ring_record *r;
		uint32_t words = 1 + i % 5;

		while (!(r = ring_reserve(&ring, 8 + 8 * words)))
			sched_yield();
		for (uint32_t w = 0; w < words; w++)
			((uint64_t *)(r + 1))[w] = (uint64_t)writer << 32 | i;
		ring_commit(r, writer + 1);
	}
	return NULL;
}

/* Checks a record, which is the next of its writer. */
static void check_record(const struct ring_record *r, uint32_t *next)
{
	const uint64_t *words = (const uint64_t *)(r + 1);
	uint32_t writer = r->kind - 1;

	CHECK(writer < THREADS);
	for (uint32_t i = 0; i < r->len / 8 - 1; i++)
		CHECK_EQ(words[i], (uint64_t)writer << 32 | next[writer]);
	next[writer]++;
}

TEST(many_writers_lose_and_mix_nothing)
{
	uint32_t numbers[THREADS];
	uint32_t next[THREADS] = { 0 };
	pthread_t thread[THREADS];
	unsigned seen = 0;

	CHECK_EQ(ring_map(&ring, SIZE), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		numbers[i] = i;
		CHECK_EQ(pthread_create(&thread[i], NULL, write_many,
					&numbers[i]),
			 0);
	}
	while (seen < THREADS * EACH) {
		uint64_t at = ring_tail(&ring);
		const struct ring_record *r;

		while ((r = ring_next(&ring, &at))) {
			check_record(r, next);
			seen++;
		}
		ring_release(&ring, at);
		sched_yield();
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	CHECK_EQ(ring_used(&ring), 0);
}
