/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_CACHE_H
#define WICK_SYMBOL_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "dwarf/flatten.h"
#include "elf/note.h"

struct sink;

enum index_part { INDEX_FUNCTIONS, INDEX_LINES, INDEX_PARTS };

/* What a cache file must have been made from to be of use. */
struct cache_key {
	struct build_id id; /* of the program */
	uint64_t identity;  /* of the file with the debug information */
	uint64_t base;	    /* of the code */
};

/*
 * The indexes of a module's units as one file, to be mapped and searched in
 * place.  Units that nobody has asked about yet are absent; a later run adds
 * them by writing a new file.  Damage is found by checksums, those of a unit
 * when it is first used.  Borrows the bytes.
 */
struct cache {
	struct span bytes; /* empty: none */
	struct span segments;
	struct span directory;
	uint32_t unit_count;
	uint32_t segment_count;
};

/* Opens bytes; false if they are not a whole cache with this key. */
bool cache_open(struct cache *c, struct span bytes,
		const struct cache_key *key);

/* The i-th segment of code; i is below segment_count. */
struct code_segment cache_segment(const struct cache *c, uint32_t i);

/*
 * A part of a unit's index.  False if the file does not have it, or has it
 * damaged; an empty part is there, and empty.
 */
bool cache_part(const struct cache *c, uint32_t unit, enum index_part part,
		struct span *ret);

/* Whether the file claims to have a part, damaged or not. */
bool cache_claims(const struct cache *c, uint32_t unit, enum index_part part);

/* What a new file is made of. */
struct cache_content {
	struct cache_key key;
	const struct code_segment *segment;
	uint32_t segment_count;
	uint32_t unit_count;
	/* The part of a unit; false: not known. */
	bool (*part)(void *context, uint32_t unit, enum index_part part,
		     struct span *ret);
	void *context;
};

/* Writes a cache file. */
void cache_write(const struct cache_content *content, struct sink *out);

#endif /* WICK_SYMBOL_CACHE_H */
