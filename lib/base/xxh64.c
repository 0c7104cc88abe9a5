/* SPDX-License-Identifier: MIT */
/*
 * XXH64, after its published description.  Four lanes of eight bytes are mixed
 * side by side, so that it runs at the speed of memory without tables or
 * special instructions: code that runs inside another program has neither
 * cache to spare nor a machine to choose.
 */
#include "base/xxh64.h"

#define PRIME1 0x9e3779b185ebca87u
#define PRIME2 0xc2b2ae3d27d4eb4fu
#define PRIME3 0x165667b19e3779f9u
#define PRIME4 0x85ebca77c2b2ae63u
#define PRIME5 0x27d4eb2f165667c5u

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static uint64_t mix(uint64_t lane, uint64_t word)
{
	return rotate(lane + word * PRIME2, 31) * PRIME1;
}

static uint64_t join(uint64_t hash, uint64_t lane)
{
	return (hash ^ mix(0, lane)) * PRIME1 + PRIME4;
}

/* Everything up to the last 31 bytes, which are left in r. */
static uint64_t mix_lanes(struct reader *r)
{
	uint64_t a = PRIME1 + PRIME2;
	uint64_t b = PRIME2;
	uint64_t c = 0;
	uint64_t d = -PRIME1;
	uint64_t hash;

	while (reader_left(r) >= 32) {
		a = mix(a, reader_u64(r));
		b = mix(b, reader_u64(r));
		c = mix(c, reader_u64(r));
		d = mix(d, reader_u64(r));
	}
	hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
	return join(join(join(join(hash, a), b), c), d);
}

static uint64_t mix_rest(uint64_t hash, struct reader *r)
{
	while (reader_left(r) >= 8) {
		hash ^= mix(0, reader_u64(r));
		hash = rotate(hash, 27) * PRIME1 + PRIME4;
	}
	if (reader_left(r) >= 4) {
		hash ^= reader_u32(r) * PRIME1;
		hash = rotate(hash, 23) * PRIME2 + PRIME3;
	}
	while (reader_left(r)) {
		hash ^= reader_u8(r) * PRIME5;
		hash = rotate(hash, 11) * PRIME1;
	}
	return hash;
}

uint64_t xxh64(struct span data)
{
	struct reader r = reader_of(data);
	uint64_t hash = data.len >= 32 ? mix_lanes(&r) : PRIME5;

	hash = mix_rest(hash + data.len, &r);
	hash = (hash ^ hash >> 33) * PRIME2;
	hash = (hash ^ hash >> 29) * PRIME3;
	return hash ^ hash >> 32;
}
