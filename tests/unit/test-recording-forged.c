/* SPDX-License-Identifier: MIT */
/*
 * Recordings whose blocks are whole, but not what this reader expects: made by
 * a newer writer, or by somebody who means harm.
 */
#include "format/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/xxh64.h"
#include "format/recording_block.h"
#include "format/recording_column.h"
#include "format/recording_layout.h"
#include "recording_fixture.h"
#include "test.h"

/* A recording of blocks that the tests make up. */
struct forge {
	struct sink out;
	struct packer packer;
	struct payload payload;
	uint32_t sequence;
};

static struct forge forge_begin(void)
{
	struct forge f = { .out = sink_to_memory(&arena),
			   .payload = { .arena = &arena } };

	CHECK_EQ(packer_init(&f.packer, &arena, RECORDING_STORE), 0);
	recording_head_put(&f.out);
	return f;
}

static void forge_block(struct forge *f, struct block_head h)
{
	h.sequence = f->sequence++;
	if (!h.version)
		h.version = BLOCK_VERSION;
	block_write(&f->packer, h, span_of(f->payload.at, f->payload.used),
		    &f->out);
}

static void forge_column(struct forge *f, unsigned number,
			 enum encoding encoding, const uint64_t *values,
			 unsigned count)
{
	struct column_out c = column_begin(&f->payload, number, encoding,
					   count);

	for (unsigned i = 0; i < count; i++)
		column_put(&c, values[i]);
	column_end(&f->payload, &c);
}

#define NUMBERS(...) \
	(const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

/* The sentence with which a file is refused; "" if it is not. */
static const char *refusal(struct span file)
{
	struct error *err = ARENA_NEW(&arena, struct error);
	int r = format_recording.read(new_profile(), file, err);

	CHECK_EQ(r, err->code);
	return err->text;
}

TEST(an_unknown_block_is_ignored_unless_it_is_required)
{
	struct forge f = forge_begin();

	payload_begin(&f.payload, 0, 0);
	forge_block(&f, (struct block_head){ .type = 99 });
	forge_block(&f, (struct block_head){ .type = 0 });
	forge_block(&f,
		    (struct block_head){ .type = BLOCK_LOSS, .version = 2 });
	CHECK_STR(refusal(sink_bytes(&f.out)), "");
	forge_block(&f, (struct block_head){ .type = 99,
					     .version = 3,
					     .flags = BLOCK_REQUIRED });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "the recording has a block of type 99, version 3, which only "
		  "a newer wick can read");
}

TEST(an_unknown_column_is_ignored_unless_it_is_required)
{
	struct forge f = forge_begin();
	size_t key;

	payload_begin(&f.payload, 0, 0);
	forge_column(&f, 500, ENCODING_SIGNED, NUMBERS(1, 2, 3));
	forge_block(&f, (struct block_head){ .type = BLOCK_HEADER });
	CHECK_STR(refusal(sink_bytes(&f.out)), "");

	payload_begin(&f.payload, 0, 0);
	key = f.payload.used;
	forge_column(&f, 500, ENCODING_SIGNED, NUMBERS(1, 2, 3));
	f.payload.at[key] |= 1;
	forge_block(&f, (struct block_head){ .type = BLOCK_HEADER });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "the recording needs a newer wick: block 1 (header): it has "
		  "a column that only a newer wick knows");
}

TEST(an_unknown_encoding_is_refused)
{
	struct forge f = forge_begin();

	payload_begin(&f.payload, 0, 0);
	forge_column(&f, 3, 5, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_HEADER });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "the recording needs a newer wick: block 0 (header): it has "
		  "values stored as only a newer wick can read");
}

TEST(another_version_of_the_format_is_refused)
{
	struct sink out = sink_to_memory(&arena);
	uint32_t check;

	recording_head_put(&out);
	out.buf[8] = 2;
	check = (uint32_t)xxh64(span_of(out.buf, RECORDING_HEAD - 4));
	memcpy(out.buf + RECORDING_HEAD - 4, &check, sizeof(check));
	CHECK_STR(refusal(sink_bytes(&out)),
		  "the recording is of version 2 of the format, which only a "
		  "newer wick can read");
}

/* Two columns of a block, and what is wrong with it. */
struct forgery {
	const char *sentence; /* what follows the block's name */
	enum block_type type;
	uint64_t first;
	uint64_t count;
	struct {
		unsigned number;
		unsigned length;
		uint64_t values[4];
	} column[4];
};

/* One string, one mapping, one function, one location, one stack, one type. */
static struct forge forge_tables(void)
{
	struct forge f = forge_begin();
	struct column_out c;

	payload_begin(&f.payload, 1, 1);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1));
	c = column_begin(&f.payload, 2, ENCODING_BYTES, 1);
	column_put_bytes(&c, span_text("x"));
	column_end(&f.payload, &c);
	forge_block(&f, (struct block_head){ .type = BLOCK_STRINGS });

	payload_begin(&f.payload, 0, 1);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_HEADER });

	payload_begin(&f.payload, 1, 1);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_MAPPINGS });
	forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS });
	forge_block(&f, (struct block_head){ .type = BLOCK_LOCATIONS });

	forge_column(&f, 3, ENCODING_UNSIGNED, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_STACKS });
	return f;
}

static const char *refusal_of(const struct forgery *what)
{
	struct forge f = forge_tables();

	payload_begin(&f.payload, what->first, what->count);
	for (int i = 0; i < 4; i++)
		if (what->column[i].number)
			forge_column(&f, what->column[i].number,
				     ENCODING_UNSIGNED, what->column[i].values,
				     what->column[i].length);
	forge_block(&f, (struct block_head){ .type = (uint16_t)what->type });
	return refusal(sink_bytes(&f.out));
}

static const struct forgery forgeries[] = {
	{ "", BLOCK_FUNCTIONS, 2, 1, { { 1, 1, { 1 } } } },
	{ "its rows are there already",
	  BLOCK_FUNCTIONS,
	  1,
	  1,
	  { { 1, 1, { 1 } } } },
	{ "its rows are there already",
	  BLOCK_FUNCTIONS,
	  0,
	  1,
	  { { 1, 1, { 1 } } } },
	{ "rows before it are missing",
	  BLOCK_FUNCTIONS,
	  3,
	  1,
	  { { 1, 1, { 1 } } } },
	{ "its row numbers are too large",
	  BLOCK_FUNCTIONS,
	  2,
	  UINT32_MAX,
	  { { 1, 1, { 1 } } } },
	{ "its row numbers are too large",
	  BLOCK_FUNCTIONS,
	  UINT64_MAX,
	  1,
	  { { 1, 1, { 1 } } } },
	{ "it has fewer rows than it says",
	  BLOCK_FUNCTIONS,
	  2,
	  100,
	  { { 1, 4, { 1, 1, 1, 1 } } } },
	{ "a column is too short", BLOCK_FUNCTIONS, 2, 2, { { 1, 1, { 1 } } } },
	{ "a column is too short",
	  BLOCK_FUNCTIONS,
	  2,
	  2,
	  { { 1, 1, { 1 } }, { 4, 1, { 9 } } } },
	{ "a column is too long",
	  BLOCK_FUNCTIONS,
	  2,
	  1,
	  { { 1, 2, { 1, 1 } } } },
	{ "a column is missing", BLOCK_FUNCTIONS, 2, 1, { { 2, 1, { 1 } } } },
	{ "its columns are out of order",
	  BLOCK_FUNCTIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 3, 1, { 1 } }, { 2, 1, { 1 } } } },
	{ "its columns are out of order",
	  BLOCK_FUNCTIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 1, 1, { 1 } } } },
	{ "a number that leads nowhere",
	  BLOCK_FUNCTIONS,
	  2,
	  1,
	  { { 1, 1, { 2 } } } },
	{ "a number that leads nowhere",
	  BLOCK_FUNCTIONS,
	  2,
	  1,
	  { { 1, 1, { (uint64_t)1 << 32 } } } },
	{ "a number that leads nowhere",
	  BLOCK_LOCATIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 2, 1, { 2 } } } },
	{ "a number that leads nowhere",
	  BLOCK_MAPPINGS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 7, 1, { (uint64_t)1 << 32 } } } },
	{ "it has fewer lines than it says",
	  BLOCK_LOCATIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 5, 1, { UINT32_MAX } } } },
	{ "a column is missing",
	  BLOCK_LOCATIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 5, 1, { 1 } } } },
	{ "a number that leads nowhere",
	  BLOCK_LOCATIONS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 5, 1, { 1 } }, { 6, 1, { 2 } } } },
	{ "a stack that leads nowhere",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 2, 1, { 2 } }, { 3, 1, { 1 } } } },
	{ "a stack that leads nowhere",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 2, 1, { UINT64_MAX } }, { 3, 1, { 1 } } } },
	{ "a stack that leads nowhere",
	  BLOCK_STACKS,
	  2,
	  2,
	  { { 1, 2, { 1, 1 } }, { 2, 2, { 3, 1 } }, { 3, 2, { 1, 1 } } } },
	{ "",
	  BLOCK_STACKS,
	  2,
	  2,
	  { { 1, 2, { 1, 1 } }, { 2, 2, { 1, 2 } }, { 3, 2, { 1, 1 } } } },
	{ "a frame that leads nowhere",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 3, 1, { 0 } } } },
	{ "a frame that leads nowhere",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 3, 1, { 2 } } } },
	{ "it has fewer frames than it says",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { UINT64_MAX } }, { 3, 1, { 1 } } } },
	{ "a column is too long",
	  BLOCK_STACKS,
	  2,
	  1,
	  { { 1, 1, { 1 } }, { 3, 2, { 1, 1 } } } },
	{ "it has fewer labels than it says",
	  BLOCK_LABELS,
	  1,
	  2,
	  { { 1, 2, { UINT64_MAX, 2 } }, { 2, 1, { 1 } } } },
	{ "", BLOCK_LABELS, 1, 2, { { 1, 2, { 1, 1 } }, { 2, 2, { 1, 0 } } } },
	{ "a number that leads nowhere",
	  BLOCK_LABELS,
	  1,
	  1,
	  { { 1, 1, { 1 } }, { 2, 1, { 9 } } } },
	{ "", BLOCK_SAMPLES, 0, 1, { { 1, 1, { 1 } }, { 32, 1, { 5 } } } },
	{ "samples before it are missing",
	  BLOCK_SAMPLES,
	  1,
	  1,
	  { { 1, 1, { 1 } }, { 32, 1, { 5 } } } },
	{ "a sample that leads nowhere",
	  BLOCK_SAMPLES,
	  0,
	  1,
	  { { 1, 1, { 2 } }, { 32, 1, { 5 } } } },
	{ "a sample that leads nowhere",
	  BLOCK_SAMPLES,
	  0,
	  1,
	  { { 1, 1, { 1 } }, { 2, 1, { 1 } }, { 32, 1, { 5 } } } },
	{ "a column is missing", BLOCK_SAMPLES, 0, 1, { { 1, 1, { 1 } } } },
	{ "it has values of no type",
	  BLOCK_SAMPLES,
	  0,
	  1,
	  { { 1, 1, { 1 } }, { 32, 1, { 5 } }, { 33, 1, { 5 } } } },
	{ "samples before it are missing",
	  BLOCK_END,
	  0,
	  0,
	  { { 1, 1, { 1 } } } },
	{ "a column is missing", BLOCK_END, 0, 0, { { 2, 1, { 1 } } } },
	{ "", BLOCK_END, 0, 0, { { 1, 1, { 0 } } } },
	{ "a column is missing", BLOCK_LOSS, 0, 1, { { 1, 1, { 1 } } } },
	{ "", BLOCK_LOSS, 0, 1, { { 1, 1, { 1000 } }, { 2, 1, { 1 } } } },
	{ "a number that leads nowhere",
	  BLOCK_HEADER,
	  0,
	  0,
	  { { 12, 1, { 2 } } } },
};

TEST(a_block_that_makes_no_sense_is_refused_with_a_sentence)
{
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(forgeries[0]); i++) {
		const struct forgery *f = &forgeries[i];
		char sentence[200] = "";

		if (*f->sentence)
			snprintf(sentence, sizeof(sentence),
				 "malformed recording: block 6 (%s): %s",
				 block_name(f->type), f->sentence);
		CHECK_STR(refusal_of(f), sentence);
	}
}

TEST(two_rows_of_one_id_are_refused)
{
	static const struct forgery f = {
		.type = BLOCK_FUNCTIONS,
		.first = 2,
		.count = 1,
		.column = { { 1, 1, { 1 } }, { 5, 1, { 1 } } },
	};

	CHECK_STR(refusal_of(&f), "malformed profile: multiple functions with "
				  "same id: 1");
}

TEST(sample_types_may_not_change)
{
	struct forge f = forge_tables();

	payload_begin(&f.payload, 0, 1);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1));
	forge_column(&f, 32, ENCODING_UNSIGNED, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_SAMPLES });
	payload_begin(&f.payload, 0, 2);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1, 1));
	forge_block(&f, (struct block_head){ .type = BLOCK_HEADER });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "malformed recording: block 7 (header): the sample types "
		  "have changed");
}

TEST(bytes_are_not_numbers)
{
	struct forge f = forge_tables();

	payload_begin(&f.payload, 2, 1);
	forge_column(&f, 1, ENCODING_BYTES, NUMBERS(1));
	forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "malformed recording: block 6 (functions): numbers stored as "
		  "bytes");
}

TEST(lengths_that_do_not_match_are_refused)
{
	struct forge f = forge_tables();
	struct sink before = f.out;

	f.payload.used = 0;
	forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "malformed recording: block 6 (functions): it is too short");

	f.out = before;
	payload_begin(&f.payload, 2, 1);
	forge_column(&f, 1, ENCODING_UNSIGNED, NUMBERS(1));
	f.payload.used--;
	f.sequence = 6;
	forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "malformed recording: block 6 (functions): a column is "
		  "longer than the block");

	f.out = before;
	f.sequence = 6;
	forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS,
					     .flags = BLOCK_ZSTD });
	CHECK_STR(refusal(sink_bytes(&f.out)),
		  "malformed recording: block 6 (functions): it does not "
		  "decompress");
}

/* A few hundred bytes that claim a gigabyte. */
TEST(a_recording_takes_no_more_memory_than_it_may)
{
	struct forge f = forge_tables();
	struct arena small = { .limit = 32 << 20 };
	uint32_t rows = 4 << 20;
	struct profile p;
	struct error err;
	struct column_out c;

	CHECK_EQ(packer_init(&f.packer, &arena, RECORDING_LEVEL), 0);
	for (uint32_t n = 0; n < 4; n++) {
		payload_begin(&f.payload, 2 + n * rows, rows);
		c = column_begin(&f.payload, 1, ENCODING_UNSIGNED, rows);
		for (uint32_t i = 0; i < rows; i++)
			column_put(&c, 1);
		column_end(&f.payload, &c);
		forge_block(&f, (struct block_head){ .type = BLOCK_FUNCTIONS });
	}
	CHECK(sink_bytes(&f.out).len < 10000);
	CHECK_EQ(profile_init(&p, &small), 0);
	CHECK_EQ(format_recording.read(&p, sink_bytes(&f.out), &err), -ENOMEM);
	CHECK_STR(err.text, "not enough memory for the recording");
	CHECK(small.mapped <= small.limit);
	arena_release(&small);
}
