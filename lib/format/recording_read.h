/* SPDX-License-Identifier: MIT */
/* What the parts of the recording reader share. */
#ifndef WICK_FORMAT_RECORDING_READ_H
#define WICK_FORMAT_RECORDING_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/recording_block.h"
#include "format/recording_column.h"
#include "format/recording_map.h"
#include "profile/profile.h"

struct error;

#define RECORDING_LOST "[lost]" /* what stands for names that are */

/* A recording being read. */
struct recording_reader {
	struct profile *p;
	struct error *err;
	struct arena scratch;
	struct block_head block; /* being read */

	/* Where the rows of each table went, by the type of their blocks. */
	struct rowmap map[BLOCK_SAMPLES];
	uint64_t next_sample;
	bool has_header;
	bool ended;

	/* What is missing: found here, and said by the file. */
	struct loss found;
	struct loss told;

	/* Rows that stand for all those lost; 0: not needed so far. */
	function_id lost_function;
	location_id lost_location;
};

/*
 * Reads a block's rows into the profile; what they refer to and cannot find,
 * because it is lost, becomes a row named "[lost]".  Returns 0 or a negative
 * errno with a sentence.
 */
int recording_read_table(struct recording_reader *rd, struct table_in *t);

/* Those of some tables alone; likewise. */
int recording_read_stacks(struct recording_reader *rd, struct table_in *t);
int recording_read_labels(struct recording_reader *rd, struct table_in *t);
int recording_read_samples(struct recording_reader *rd, struct table_in *t);

/* Sets err to a sentence about the block being read. */
int recording_malformed(struct recording_reader *rd, const char *why);

/* As well, when there is no more memory. */
int recording_no_memory(struct recording_reader *rd);

/*
 * Turns a table's row into its id in memory; a row that was lost, into what
 * stands for it.  False: there is no such row.
 */
bool recording_resolve(struct recording_reader *rd, unsigned table,
		       uint64_t row, uint32_t *ret);

/*
 * A column of count numbers, of which none is there unless all are.  Without
 * "need" it may be missing; with it, only where it would be empty.  Return 0 or
 * a negative errno with a sentence.
 */
int recording_take_column(struct recording_reader *rd, struct table_in *t,
			  unsigned number, uint64_t count,
			  struct column_in *ret);
int recording_need_column(struct recording_reader *rd, struct table_in *t,
			  unsigned number, uint64_t count,
			  struct column_in *ret);

/* Checks that all of a column was read, and no more. */
int recording_column_done(struct recording_reader *rd,
			  const struct column_in *c);

/*
 * What the next count numbers add up to, which stay unread; UINT64_MAX: more
 * than fits.
 */
uint64_t recording_sum_column(struct column_in c, uint64_t count);

/* Zeroed rows in memory to be filled; the first has this number. */
struct rows_in {
	const struct row_layout *layout;
	void *at;
	uint64_t number;
	uint64_t count;
};

/* Fills them from the columns of their members. */
int recording_read_rows(struct recording_reader *rd, struct table_in *t,
			struct rows_in rows);

/* Gives the next row of the block being read its id. */
int recording_add_row(struct recording_reader *rd, uint32_t id);

/* Makes room for exactly count zeroed types. */
int recording_make_types(struct recording_reader *rd, uint64_t count);

#endif /* WICK_FORMAT_RECORDING_READ_H */
