/* SPDX-License-Identifier: MIT */
/*
 * Hashing for tables in memory.  Not stable between versions and not written
 * to files.  Most of it is the same in every run, so that whoever chooses all
 * the keys can make a table slow, though not wrong; tables whose keys come
 * straight from a file use a hash_key().
 */
#ifndef WICK_BASE_HASH_H
#define WICK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

static inline uint32_t hash_pair(uint32_t a, uint32_t b)
{
	return hash_u64((uint64_t)a << 32 | b);
}

/* Folds one more word into a running hash. */
static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/*
 * A secret for one table: made of an address in it, which the author of a file
 * can not foresee.  Must not influence results, only their speed.
 */
static inline uint64_t hash_key(const void *place)
{
	return hash_mix(0x2545f4914f6cdd1du, (uintptr_t)place) | 1;
}

/* As hash_mix(); which words collide depends on the key. */
static inline uint64_t hash_fold(uint64_t key, uint64_t h, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(h ^ word) * key;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t hash_bytes_keyed(uint64_t key, const void *p, size_t len)
{
	const unsigned char *at = p;
	uint64_t h = key + len;
	uint64_t word;

	for (; len >= 8; at += 8, len -= 8) {
		memcpy(&word, at, 8);
		h = hash_fold(key, h, word);
	}
	word = 0;
	memcpy(&word, at, len);
	return hash_u64(hash_fold(key, h, word));
}

static inline uint32_t hash_bytes(const void *p, size_t len)
{
	const unsigned char *at = p;
	uint64_t h = len * 0x9e3779b97f4a7c15u;
	uint64_t word;

	for (; len >= 8; at += 8, len -= 8) {
		memcpy(&word, at, 8);
		h = hash_mix(h, word);
	}
	word = 0;
	memcpy(&word, at, len);
	return hash_u64(hash_mix(h, word));
}

#endif /* WICK_BASE_HASH_H */
