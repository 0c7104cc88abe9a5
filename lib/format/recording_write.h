/* SPDX-License-Identifier: MIT */
/* What the parts of the recording writer share. */
#ifndef WICK_FORMAT_RECORDING_WRITE_H
#define WICK_FORMAT_RECORDING_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "format/recording_block.h"
#include "format/recording_column.h"
#include "profile/profile.h"

struct arena;
struct row_layout;
struct sink;

/* When a block is full: large enough to compress well, small enough to lose. */
enum {
	STRING_BYTES_PER_BLOCK = 1 << 20,
	ROWS_PER_BLOCK = 1 << 15, /* with what belongs to them: lines, … */
	FRAMES_PER_BLOCK = 1 << 17,
	VALUES_PER_BLOCK = 1 << 18,
};

typedef VEC(uint32_t) row_map; /* from an id in memory to a row, or 0 */

struct recording_state {
	struct packer packer;
	struct payload payload;
	struct payload strings_payload;
	uint32_t sequence;

	/* How much of the profile's tables is in the file. */
	uint32_t mappings;
	uint32_t functions;
	uint32_t locations;
	VEC(bool) has_lines; /* by location, of those in the file */
	uint64_t samples;
	uint64_t header_sum; /* of the header as it was last written */
	uint64_t loss_sum;

	/* What is in the file under numbers of its own. */
	row_map string_row;
	row_map stack_row;
	row_map labels_row;
	uint32_t strings; /* rows given out so far */
	uint32_t stacks;
	uint32_t label_sets;

	/* Rows that have a number, but are not in the file yet. */
	VEC(str_id) new_strings;
	VEC(uint32_t) set_length; /* of label sets */
	VEC(struct label) labels;
	VEC(uint32_t) run_length; /* of stacks */
	VEC(uint32_t) run_parent;
	VEC(frame_id) frames;

	/* Scratch. */
	VEC(struct line) lines;
	VEC(uint32_t) named; /* locations */
	VEC(uint32_t) named_lines;
	VEC(stack_id) path;
};

/* One call of recording_flush(). */
struct recording_writer {
	struct recording_state *s;
	struct arena *arena;
	struct sink *out;
	const struct profile *p;
};

/*
 * The number of a string in the file, which is given one if it has none; 0: it
 * is the empty one, or there is no memory, which writing the block will say.
 */
uint32_t writer_string_row(const struct recording_writer *w, str_id id);

/* Begins a block with that many rows, the first of that number. */
void writer_begin_block(const struct recording_writer *w, uint64_t first,
			uint64_t count);

/*
 * Writes the block that was put together, after the strings it names.  Returns
 * 0 or a negative errno.
 */
int writer_finish_block(const struct recording_writer *w, enum block_type type);

/* Rows as they lie in memory; the first has this number in the file. */
struct rows_out {
	const struct row_layout *layout;
	const void *at;
	uint32_t number;
	uint32_t count;
};

/* Puts the columns of their members into the block. */
void writer_put_rows(const struct recording_writer *w,
		     const struct rows_out *rows);

/* And a column of numbers. */
void writer_put_column(const struct recording_writer *w, unsigned number,
		       enum encoding encoding, const uint32_t *values,
		       uint32_t count);

/*
 * Writes the samples from *next on, and what they refer to; *next is then how
 * many there are.  Returns 0 or a negative errno.
 */
int writer_write_samples(const struct recording_writer *w, uint32_t *next);

#endif /* WICK_FORMAT_RECORDING_WRITE_H */
