/* SPDX-License-Identifier: MIT */
/* What the two halves of the recording reader share. */
#ifndef WICK_FORMAT_RECORDING_READ_H
#define WICK_FORMAT_RECORDING_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "format/recording_block.h"
#include "format/recording_map.h"
#include "profile/profile.h"

struct error;
struct table_in;

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

/* Sets err to a sentence about the block being read. */
int recording_malformed(struct recording_reader *rd, const char *why);

/* As well, when there is no more memory. */
int recording_no_memory(struct recording_reader *rd);

#endif /* WICK_FORMAT_RECORDING_READ_H */
