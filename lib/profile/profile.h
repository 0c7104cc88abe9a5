/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_PROFILE_H
#define WICK_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/label.h"
#include "profile/loss.h"
#include "profile/stack.h"

struct error;

/*
 * The data model.  Rows refer to each other by 32-bit indexes that start at 1,
 * 0 meaning none; row 0 of mappings, functions and locations exists and is
 * empty.  Each of those rows also keeps the id that its file gave it (any
 * 64-bit number, unique in its table, not 0), which only shows when a profile
 * is dumped or written again.
 */
typedef uint32_t mapping_id;
typedef uint32_t function_id;
typedef frame_id location_id; /* a frame of a stack is a location */

/* What a column of values counts, and in what unit: cpu in nanoseconds. */
struct value_type {
	str_id type;
	str_id unit;
};

enum mapping_flags {
	MAPPING_HAS_FUNCTIONS = 1 << 0,
	MAPPING_HAS_FILENAMES = 1 << 1,
	MAPPING_HAS_LINE_NUMBERS = 1 << 2,
	MAPPING_HAS_INLINE_FRAMES = 1 << 3,
};

/* A file (or other memory) mapped into the address space.  [1]: the program. */
struct mapping {
	uint64_t id;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	str_id file;
	str_id build_id;
	str_id kernel_symbol; /* the relocation symbol of a kernel mapping */
	uint32_t flags;	      /* enum mapping_flags: what symbolizing found */
};

struct function {
	uint64_t id;
	str_id name;
	str_id system_name; /* as the linker knows it */
	str_id file;
	int64_t start_line;
};

/* One level of a location's inlining. */
struct line {
	function_id function;
	int64_t line;
	int64_t column;
};

/* A place in the program.  Its lines go from the innermost inlined function
 * to the real one, which is last; none if it was not symbolized. */
struct location {
	uint64_t id;
	uint64_t address;
	uint32_t first_line;
	uint32_t line_count;
	mapping_id mapping;
	bool folded; /* the linker gave several functions this address */
};

/* What is known of the profile as a whole. */
struct profile_header {
	int64_t time_nanos; /* since the epoch; 0: unknown */
	int64_t duration_nanos;
	int64_t period;
	struct value_type period_type;
	str_id default_type; /* name of the type to report; 0: the last */
	str_id drop_frames;  /* regular expressions on function names */
	str_id keep_frames;
	str_id doc_url;
};

/* The tables that a derived profile may have to itself; see derive.h. */
enum profile_tables {
	PROFILE_LOCATIONS = 1 << 0,
	PROFILE_FUNCTIONS = 1 << 1,
	PROFILE_MAPPINGS = 1 << 2,
	PROFILE_LABELS = 1 << 3,
	PROFILE_SAMPLES = 1 << 4,
	PROFILE_STACKS = 1 << 5,
	PROFILE_ALL = (1 << 6) - 1,
};

/*
 * A profile: tables of rows, and samples in columns.  Sample i has the stack
 * stack[i], the labels labels[i] and the values value[i * types.count + t] for
 * each type t.
 *
 * The arena owns every table.  A derived profile may share tables with the one
 * it was made from (see derive.h); it must be released before that one. Readers
 * fill a profile that profile_init() made; nothing in it depends on the format.
 */
struct profile {
	struct arena *arena; /* borrowed */
	struct strtab *strings;
	uint32_t owned; /* enum profile_tables: not another profile's */
	struct profile_header header;
	struct loss loss; /* what is known to be missing */
	VEC(struct value_type) types;
	VEC(struct mapping) mappings;
	VEC(struct function) functions;
	VEC(struct location) locations;
	VEC(struct line) lines;
	VEC(str_id) comments;
	struct stacktab stacks;
	struct labeltab label_sets;
	uint32_t sample_count;
	uint32_t sample_capacity;
	stack_id *stack;
	labels_id *labels;
	int64_t *value;
	int64_t *time; /* see profile_keep_times(); NULL: unknown */
};

/*
 * Makes an empty profile whose memory comes from arena.  Returns 0 or -ENOMEM.
 * Add all types before the first sample.
 */
int profile_init(struct profile *p, struct arena *arena);

/* Appends a zeroed row and returns its index, or 0 when memory ran out. */
mapping_id profile_add_mapping(struct profile *p, struct mapping m);
function_id profile_add_function(struct profile *p, struct function f);

/* Appends a location with a copy of its lines; 0 when memory ran out. */
location_id profile_add_location(struct profile *p, struct location l,
				 const struct line *lines, uint32_t line_count);

/*
 * Gives a profile that has no mappings one, of no addresses and no file, and
 * puts every location into it: what is said of "the program", such as its
 * file's name on the command line, then has a place to go.  pprof does this to
 * every profile it is given, after reading.  p is not a derived profile.
 * Returns 0 or -ENOMEM.
 */
int profile_add_fake_mapping(struct profile *p);

/* Makes room for count more samples; 0 or -ENOMEM. */
int profile_reserve_samples(struct profile *p, uint64_t count);

/*
 * Appends a sample and returns its values, zeroed, to be filled in, or NULL
 * when memory ran out.  The pointer is valid until the next sample.
 */
int64_t *profile_add_sample(struct profile *p, stack_id stack,
			    labels_id labels);

/*
 * Gives samples a time each, in nanoseconds since header.time_nanos: time[i],
 * 0 until it is set.  Add all types before.  Derived profiles keep times;
 * merged ones have none. Returns 0 or -ENOMEM.
 */
int profile_keep_times(struct profile *p);

/*
 * Checks what every reader must ensure: unique ids that are not 0, indexes in
 * range, a function for each line, types if there are samples.  Returns 0 or
 * -EBADMSG with a sentence.
 */
int profile_check(const struct profile *p, struct error *err);

static inline int64_t *profile_values(const struct profile *p, uint32_t sample)
{
	return p->value + (size_t)sample * p->types.count;
}

/* NULL if there are none. */
static inline const struct line *location_lines(const struct profile *p,
						const struct location *l)
{
	return l->line_count ? p->lines.at + l->first_line : NULL;
}

static inline const char *profile_text(const struct profile *p, str_id id)
{
	return str_text(p->strings, id);
}

#endif /* WICK_PROFILE_PROFILE_H */
