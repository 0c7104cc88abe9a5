/* SPDX-License-Identifier: MIT */
/*
 * The numbers of the recording format, for its reader and its writer alone.
 * wick-recording(5) explains them; a number that has been in a release never
 * changes its meaning.
 */
#ifndef WICK_FORMAT_RECORDING_LAYOUT_H
#define WICK_FORMAT_RECORDING_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define RECORDING_MAGIC "\x89WICK\r\n\x1a"
#define BLOCK_MAGIC	"\xf7WkB"

enum {
	RECORDING_VERSION = 1,
	RECORDING_HEAD = 24, /* bytes of the file header */
	BLOCK_VERSION = 1,   /* of every type of block there is so far */
	BLOCK_HEAD = 32,     /* bytes of a block's header */
	BLOCK_RAW_MAX = 16 << 20,
};

enum block_type {
	BLOCK_STRINGS = 1,
	BLOCK_HEADER = 2,
	BLOCK_MAPPINGS = 3,
	BLOCK_FUNCTIONS = 4,
	BLOCK_LOCATIONS = 5,
	BLOCK_STACKS = 6,
	BLOCK_LABELS = 7,
	BLOCK_SAMPLES = 8,
	BLOCK_LOSS = 9,
	BLOCK_END = 10,
	BLOCK_SYMBOLS = 11,
	BLOCK_TYPES, /* how many there are, and 0 */
};

enum block_flags {
	BLOCK_REQUIRED = 1 << 0, /* a reader must not ignore it */
	BLOCK_ZSTD = 1 << 1,
};

enum string_column {
	STRING_LENGTH = 1,
	STRING_BYTES = 2,
};

enum header_column {
	HEADER_TYPE = 1,
	HEADER_UNIT = 2,
	HEADER_COMMENTS = 12,
};

enum stack_column {
	STACK_LENGTH = 1,
	STACK_PARENT = 2,
	STACK_FRAMES = 3,
};

enum label_column {
	LABEL_COUNT = 1, /* the columns of struct label follow */
};

enum sample_column {
	SAMPLE_STACK = 1,
	SAMPLE_LABELS = 2,
	SAMPLE_TIME = 3,
	SAMPLE_VALUES = 32, /* and up: one for each type */
};

enum loss_column {
	LOSS_KIND = 1,
	LOSS_COUNT = 2,
};

enum symbol_column {
	SYMBOL_LOCATION = 1,
	SYMBOL_COUNT = 2, /* the columns of struct line follow */
};

enum end_column {
	END_SAMPLES = 1,
};

/* When a member's column may be left out, and what its absence means. */
enum field_rule {
	FIELD_OR_ZERO,	 /* left out if all are 0 */
	FIELD_OR_NUMBER, /* left out if each is the number of its row */
	FIELD_ALWAYS,
};

/* How a member of one of the profile's rows is stored in a column. */
struct field {
	uint8_t column;
	uint8_t encoding; /* the writer's choice */
	uint8_t rule;
	uint8_t size; /* of the member; 1: a bool */
	uint8_t ref;  /* the block_type whose rows it indexes; 0: none */
	uint16_t offset;
};

/* The members of a kind of row, by ascending column. */
struct row_layout {
	const struct field *fields;
	size_t field_count;
	size_t row_size;
};

extern const struct row_layout header_layout;
extern const struct row_layout type_layout;
extern const struct row_layout mapping_layout;
extern const struct row_layout function_layout;
extern const struct row_layout location_layout;
extern const struct row_layout line_layout;
extern const struct row_layout label_layout;

/* What a type of block is called in messages. */
const char *block_name(unsigned type);

#endif /* WICK_FORMAT_RECORDING_LAYOUT_H */
