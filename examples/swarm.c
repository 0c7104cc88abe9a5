/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "swarm.h"

enum { SHARDS = 64, BUCKETS = 1024 };

struct peer {
	struct wire_peer at;
	bool seeding;
	time_t seen;
};

struct torrent {
	struct torrent *next; /* in its bucket */
	uint8_t hash[HASH_SIZE];
	struct peer *peers;
	uint32_t count;
	uint32_t capacity;
};

struct shard {
	pthread_mutex_t lock;
	struct torrent *buckets[BUCKETS];
};

struct swarms {
	struct shard shards[SHARDS];
};

struct swarms *swarms_new(void)
{
	struct swarms *s = calloc(1, sizeof(*s));

	for (int i = 0; s && i < SHARDS; i++)
		pthread_mutex_init(&s->shards[i].lock, NULL);
	return s;
}

void swarms_free(struct swarms *s)
{
	for (int i = 0; i < SHARDS; i++)
		for (int b = 0; b < BUCKETS; b++)
			while (s->shards[i].buckets[b]) {
				struct torrent *t = s->shards[i].buckets[b];

				s->shards[i].buckets[b] = t->next;
				free(t->peers);
				free(t);
			}
	free(s);
}

/* FNV-1a: what a careful program would not use, and many do. */
static uint64_t digest(const uint8_t *bytes, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 0x100000001b3ull;
	return h;
}

static struct torrent *find_torrent(struct shard *s, uint64_t h,
				    const uint8_t *hash)
{
	struct torrent **bucket = &s->buckets[h / SHARDS % BUCKETS];
	struct torrent *t = *bucket;

	while (t && memcmp(t->hash, hash, HASH_SIZE) != 0)
		t = t->next;
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	memcpy(t->hash, hash, HASH_SIZE);
	t->next = *bucket;
	*bucket = t;
	return t;
}

static bool same_peer(struct wire_peer a, struct wire_peer b)
{
	return a.ip == b.ip && a.port == b.port;
}

static struct peer *find_peer(struct torrent *t, struct wire_peer at)
{
	struct peer *grown;

	for (uint32_t i = 0; i < t->count; i++)
		if (same_peer(t->peers[i].at, at))
			return &t->peers[i];
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity ? 2 * t->capacity : 4;

		grown = realloc(t->peers, capacity * sizeof(*grown));
		if (!grown)
			return NULL;
		t->peers = grown;
		t->capacity = capacity;
	}
	t->peers[t->count] = (struct peer){ .at = at };
	return &t->peers[t->count++];
}

/* Some of the others, from a place that differs from peer to peer. */
static uint32_t choose_peers(const struct torrent *t, struct wire_peer asker,
			     struct wire_peer *others, uint32_t want)
{
	uint32_t start = t->count ? (asker.ip ^ asker.port) % t->count : 0;
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < t->count && chosen < want; i++) {
		const struct peer *p = &t->peers[(start + i) % t->count];

		if (!same_peer(p->at, asker))
			others[chosen++] = p->at;
	}
	return chosen;
}

static struct swarm_counts count_peers(const struct torrent *t)
{
	struct swarm_counts counts = { 0 };

	for (uint32_t i = 0; i < t->count; i++)
		if (t->peers[i].seeding)
			counts.seeders++;
		else
			counts.leechers++;
	return counts;
}

uint32_t swarm_announce(struct swarms *s, const uint8_t hash[HASH_SIZE],
			struct wire_peer peer, bool seeding, time_t now,
			struct wire_peer *others, uint32_t want,
			struct swarm_counts *counts)
{
	uint64_t h = digest(hash, HASH_SIZE);
	struct shard *shard = &s->shards[h % SHARDS];
	struct torrent *t;
	struct peer *p;
	uint32_t chosen = 0;

	pthread_mutex_lock(&shard->lock);
	t = find_torrent(shard, h, hash);
	p = t ? find_peer(t, peer) : NULL;
	if (p) {
		p->seeding = seeding;
		p->seen = now;
		chosen = choose_peers(t, peer, others, want);
		*counts = count_peers(t);
	}
	pthread_mutex_unlock(&shard->lock);
	return chosen;
}

static uint32_t expire_torrent(struct torrent *t, time_t before)
{
	uint32_t left = 0, gone;

	for (uint32_t i = 0; i < t->count; i++)
		if (t->peers[i].seen >= before)
			t->peers[left++] = t->peers[i];
	gone = t->count - left;
	t->count = left;
	return gone;
}

uint64_t swarms_expire(struct swarms *s, time_t before)
{
	uint64_t gone = 0;

	for (int i = 0; i < SHARDS; i++) {
		struct shard *shard = &s->shards[i];

		pthread_mutex_lock(&shard->lock);
		for (int b = 0; b < BUCKETS; b++)
			for (struct torrent *t = shard->buckets[b]; t;
			     t = t->next)
				gone += expire_torrent(t, before);
		pthread_mutex_unlock(&shard->lock);
	}
	return gone;
}
