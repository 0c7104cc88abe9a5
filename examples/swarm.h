/* SPDX-License-Identifier: MIT */
/* Who has which torrent: a table in shards, each with its own lock. */
#ifndef SWARM_H
#define SWARM_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "tracker.h"

struct swarms;

struct swarm_counts {
	uint32_t seeders;
	uint32_t leechers;
};

/* NULL: out of memory. */
struct swarms *swarms_new(void);
void swarms_free(struct swarms *s);

/*
 * Notes that a peer takes part, and gives up to want others.  Returns how many.
 */
uint32_t swarm_announce(struct swarms *s, const uint8_t hash[HASH_SIZE],
			struct wire_peer peer, bool seeding, time_t now,
			struct wire_peer *others, uint32_t want,
			struct swarm_counts *counts);

/* Forgets peers that were last seen before a time; returns how many. */
uint64_t swarms_expire(struct swarms *s, time_t before);

#endif /* SWARM_H */
