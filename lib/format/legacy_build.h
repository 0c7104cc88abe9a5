/* SPDX-License-Identifier: MIT */
#ifndef WICK_FORMAT_LEGACY_BUILD_H
#define WICK_FORMAT_LEGACY_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/table.h"
#include "base/vec.h"

struct error;
struct profile;

enum {
	LEGACY_MAX_TYPES = 4,
	LEGACY_NO_PLACE = 0,
};

/* Which frames of a stack hold return addresses. */
enum legacy_adjust {
	LEGACY_ADJUST_NONE,
	LEGACY_ADJUST_CALLERS, /* all but the leaf */
	LEGACY_ADJUST_ALL,
};

struct legacy_type {
	struct span type;
	struct span unit;
};

/* An address, once for each in the file; what symbols say of it, if any. */
struct legacy_place {
	uint64_t address;
	uint32_t function; /* index into functions + 1; 0: no symbol */
	uint32_t mapping;  /* index into mappings + 1; 0: none */
	uint32_t number;   /* its number in the profile; 0: not used */
	int64_t line;
};

struct legacy_function {
	struct span name;
	struct span file;
	uint32_t number; /* as of places */
};

struct legacy_mapping {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	struct span file;
	struct span build_id;
};

struct legacy_sample {
	uint32_t first; /* index into frames, which go leaf first */
	uint32_t count;
	int64_t value[LEGACY_MAX_TYPES];
	int64_t block; /* size of one allocation */
	bool has_block;
};

/*
 * A profile while its file is being read.  The old formats know addresses
 * only, and frames are dropped and places renumbered after all samples have
 * been seen; a struct profile is made at the end, by legacy_finish().
 *
 * Spans point into the input, into static text or into the arena, which owns
 * all columns.  When memory runs out the arena's failed flag tells, so the
 * functions that add rows return nothing.
 */
struct legacy_build {
	struct arena *arena; /* borrowed */
	struct legacy_type types[LEGACY_MAX_TYPES];
	uint32_t type_count;
	struct legacy_type period_type;
	int64_t period;
	int64_t duration_nanos;
	VEC(struct legacy_place) places; /* [0]: none */
	struct table by_address;
	VEC(uint32_t) frames; /* indexes into places */
	uint32_t open;	      /* the first frame of the next sample */
	VEC(struct legacy_sample) samples;
	VEC(struct legacy_mapping) mappings;
	VEC(struct legacy_function) functions;
	VEC(uint32_t) used; /* the places that samples use, as numbered */
};

/* Makes b empty.  Returns 0 or -ENOMEM. */
int legacy_begin(struct legacy_build *b, struct arena *arena);

void legacy_add_type(struct legacy_build *b, struct span type,
		     struct span unit);
void legacy_add_type_text(struct legacy_build *b, const char *type,
			  const char *unit);
void legacy_set_period(struct legacy_build *b, const char *type,
		       const char *unit, int64_t period);

/* The place of an address that some frame had; LEGACY_NO_PLACE if none. */
uint32_t legacy_find_place(const struct legacy_build *b, uint64_t address);

/*
 * Appends a frame to the sample that comes next.  A return address becomes one
 * inside the call instruction, one less; 0 wraps around.
 */
void legacy_add_frame(struct legacy_build *b, uint64_t address,
		      enum legacy_adjust adjust);

/*
 * Appends a frame for every "0x…" in text, whatever else it holds.  Returns 0,
 * or -EBADMSG if one has more than 64 bits.
 */
int legacy_add_frames(struct legacy_build *b, struct span text,
		      enum legacy_adjust adjust);

/* How many frames the sample that comes next has so far. */
uint32_t legacy_open_frames(const struct legacy_build *b);

/* Drops the frames added since the last sample. */
void legacy_drop_frames(struct legacy_build *b);

/* Appends a sample; its frames are those added since the one before it. */
void legacy_add_sample(struct legacy_build *b, struct legacy_sample s);

/* Removes the second frame of sample i, if there is one. */
void legacy_remove_second_frame(struct legacy_build *b, uint32_t i);

/* The place of sample i's second frame; LEGACY_NO_PLACE if there is none. */
uint32_t legacy_second_frame(const struct legacy_build *b, uint32_t i);

/*
 * Profilers that run in a signal handler see the interrupted address twice,
 * once from the signal's context and once, adjusted, from the stack: removes
 * the second.  Its place stays, as pprof leaves it.
 */
void legacy_remove_doubled_leaves(struct legacy_build *b);

/* Numbers places and functions in the order in which samples use them. */
void legacy_number(struct legacy_build *b);

/*
 * Puts everything into p, which profile_init() made, and uses b up.  Returns 0,
 * -EBADMSG if the file did not say what its values are, or -ENOMEM.
 */
int legacy_finish(struct legacy_build *b, struct profile *p, struct error *err);

#endif /* WICK_FORMAT_LEGACY_BUILD_H */
