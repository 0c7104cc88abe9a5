/* SPDX-License-Identifier: MIT */
/* Writing profile.proto: the bytes are as pprof would write them. */
#include <errno.h>
#include <string.h>

#include "format/gzip.h"
#include "hands.h"
#include "pprof.h"
#include "test.h"

/* What pprof_write() makes of the profile just read, decompressed. */
static struct gunzipped written(void)
{
	struct sink out = sink_to_memory(&file.arena);
	struct gunzipped g = { 0 };

	CHECK_EQ(pprof_write(&file.profile, NULL, &out, &file.err), 0);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), 1 << 30, &file.err), 0);
	return g;
}

/* Everything a profile can hold, in the order that pprof writes it. */
static void put_everything(void)
{
	size_t start;

	PUT_MESSAGE(PPROF_SAMPLE_TYPE, 1, N(1), 2, N(2));
	PUT_MESSAGE(PPROF_SAMPLE_TYPE, 1, N(3), 2, N(4));
	start = proto_open(&file.out);
	proto_put_bytes(&file.out, 1, span_of("\x05\xac\x02\x05", 4));
	proto_put_number(&file.out, 2, 1);
	proto_put_number(&file.out, 2, N(-2));
	PUT_MESSAGE(3, 1, N(5), 2, N(6));
	PUT_MESSAGE(3, 1, N(5), 2, N(1));
	PUT_MESSAGE(3, 1, N(7), 2, N(8));
	PUT_MESSAGE(3, 1, N(7), 3, N(0), 4, N(9));
	PUT_MESSAGE(3, 1, N(7), 3, N(-4));
	proto_close(&file.out, PPROF_SAMPLE, start);
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(5), 2, N(0), 2, N(3));
	PUT_MESSAGE(PPROF_SAMPLE, 2, N(7), 2, N(8));
	PUT_MESSAGE(PPROF_MAPPING, 1, N(4), 2, N(0x1000), 3, N(0x2000), 4,
		    N(0x10), 5, N(10), 6, N(11), 7, N(1), 8, N(1), 9, N(1), 10,
		    N(1));
	start = proto_open(&file.out);
	proto_put_number(&file.out, 1, 5);
	proto_put_number(&file.out, 2, 4);
	proto_put_number(&file.out, 3, 0x1234);
	PUT_MESSAGE(4, 1, N(9), 2, N(10), 3, N(11));
	PUT_MESSAGE(4, 1, N(8), 2, N(-1));
	proto_put_number(&file.out, 5, 1);
	proto_close(&file.out, PPROF_LOCATION, start);
	PUT_MESSAGE(PPROF_LOCATION, 1, N(300), 3, N(0x99));
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(9), 2, N(12), 3, N(13), 4, N(14), 5,
		    N(3));
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(8), 2, N(12));
	put_texts(22);
	proto_put_number(&file.out, PPROF_DROP_FRAMES, 15);
	proto_put_number(&file.out, PPROF_KEEP_FRAMES, 16);
	proto_put_number(&file.out, PPROF_TIME, 1000);
	proto_put_number(&file.out, PPROF_DURATION, 2000);
	PUT_MESSAGE(PPROF_PERIOD_TYPE, 1, N(17), 2, N(18));
	proto_put_number(&file.out, PPROF_PERIOD, 99);
	proto_put_bytes(&file.out, PPROF_COMMENT, span_of("\x13\x01\x14", 3));
	proto_put_number(&file.out, PPROF_DEFAULT_TYPE, 3);
	proto_put_number(&file.out, PPROF_DOC_URL, 21);
}

/*
 * Field 3 with the number 0 is the one thing above that pprof would leave
 * out; so what is compared is the second writing with the first.
 */
TEST(what_is_written_reads_back_the_same)
{
	struct gunzipped first, second;

	file_new();
	put_everything();
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.sample_count, 3);
	first = written();
	CHECK_EQ(first.data.len, file.out.used - 2);

	file_new();
	sink_span(&file.out, first.data);
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.sample_count, 3);
	CHECK_EQ(file.profile.comments.count, 3);
	second = written();
	CHECK_BYTES(second.data.at, second.data.len, first.data.at,
		    first.data.len);
	gunzipped_release(&first);
	gunzipped_release(&second);
}

TEST(an_empty_profile_has_a_string_and_a_default_type)
{
	struct gunzipped g;

	file_new();
	put_text("");
	CHECK_EQ(file_read(), 0);
	g = written();
	CHECK_BYTES(g.data.at, g.data.len, "\x32\x00\x70\x00", 4);
	gunzipped_release(&g);
}

TEST(strings_that_nobody_uses_are_left_out)
{
	struct gunzipped g;

	file_new();
	put_texts(20);
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(1), 2, N(19));
	CHECK_EQ(file_read(), 0);
	g = written();
	CHECK_BYTES(g.data.at, g.data.len,
		    "\x2a\x04\x08\x01\x10\x01\x32\x00\x32\x01s\x70\x00", 13);
	gunzipped_release(&g);
}

TEST(a_deep_stack_is_written_whole)
{
	struct gunzipped g;
	size_t start;

	file_new();
	put_basics();
	put_location(1, 1);
	start = proto_open(&file.out);
	for (unsigned i = 0; i < 5000; i++)
		proto_put_number(&file.out, PPROF_SAMPLE_LOCATION, 1);
	proto_put_number(&file.out, PPROF_SAMPLE_VALUE, 1);
	proto_close(&file.out, PPROF_SAMPLE, start);
	CHECK_EQ(file_read(), 0);
	g = written();
	file_new();
	sink_span(&file.out, g.data);
	gunzipped_release(&g);
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(stack_depth(&file.profile.stacks, file.profile.stack[0]),
		 5000);
}

/*
 * A profile that is no small file: samples with 50 frames each, no two the
 * same, some of them with labels.  Ids of locations are spread times as far
 * apart as rows.
 */
enum { SAMPLES = 80000, DEPTH = 50, LOCATIONS = 5000 };

static labels_id some_labels(struct profile *p, uint32_t sample)
{
	struct label l[2] = {
		{ .key = strtab_add_text(p->strings, "thread"),
		  .text = strtab_add_text(p->strings, "worker") },
		{ .key = strtab_add_text(p->strings, "bytes"),
		  .number = -1 - (int64_t)(sample % 7),
		  .numeric = true },
	};

	return labels_add(&p->label_sets, l, sample % 3);
}

static void add_samples(struct profile *p)
{
	frame_id frames[DEPTH];
	uint32_t random = 1;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		int64_t *value;

		for (unsigned j = 0; j < DEPTH; j++) {
			random = random * 1664525 + 1013904223;
			frames[j] = 1 + (random >> 8) % (j < 5 ? 3 : LOCATIONS);
		}
		value = profile_add_sample(p,
					   stack_add(&p->stacks, 0, frames,
						     i % 1000 ? DEPTH : i % 4),
					   some_labels(p, i));
		value[0] = (int64_t)random - INT32_MAX;
	}
}

static void make_large(uint64_t spread)
{
	struct profile *p = &file.profile;

	file_new();
	CHECK_EQ(profile_init(p, &file.arena), 0);
	VEC_PUSH(&p->types, p->arena)->type = strtab_add_text(p->strings, "t");
	for (uint32_t i = 1; i <= LOCATIONS; i++)
		profile_add_location(p, (struct location){ .id = i * spread },
				     NULL, 0);
	add_samples(p);
	CHECK_EQ(profile_check(p, &file.err), 0);
}

static const struct workers three = { 3, run_together };

TEST(workers_do_not_change_a_large_file)
{
	static const uint64_t spread[] = { 1, (uint64_t)1 << 45 };

	for (unsigned i = 0; i < 2; i++) {
		struct sink alone, together;
		struct gunzipped g;

		make_large(spread[i]);
		alone = sink_to_memory(&file.arena);
		together = sink_to_memory(&file.arena);
		CHECK_EQ(pprof_write(&file.profile, NULL, &alone, NULL), 0);
		CHECK_EQ(pprof_write(&file.profile, &three, &together, NULL),
			 0);
		CHECK(span_equal(sink_bytes(&alone), sink_bytes(&together)));
		CHECK_EQ(gzip_expand(&g, sink_bytes(&alone), 1 << 30, NULL), 0);
		CHECK(g.data.len > GZIP_SMALL);
		gunzipped_release(&g);
	}
}

/* With short ids, with some that are not, and with none that is. */
TEST(a_large_file_reads_back_the_same)
{
	static const uint64_t spread[] = { 3, 1 << 20, (uint64_t)1 << 45 };

	for (unsigned i = 0; i < 3; i++) {
		struct gunzipped first, second;

		make_large(spread[i]);
		first = written();
		file_new();
		sink_span(&file.out, first.data);
		CHECK_EQ(file_read(), 0);
		CHECK_EQ(file.profile.sample_count, SAMPLES);
		CHECK_EQ(file.profile.locations.at[2].id, 2 * spread[i]);
		second = written();
		CHECK(span_equal(first.data, second.data));
		gunzipped_release(&first);
		gunzipped_release(&second);
	}
}

TEST(memory_that_ends_in_the_middle_is_an_error)
{
	struct arena little = { .limit = 4 << 20 };
	struct sink out = sink_to_memory(&little);

	make_large(1);
	CHECK_EQ(pprof_write(&file.profile, &three, &out, &file.err), -ENOMEM);
	CHECK_STR(file.err.text,
		  "cannot write the profile: Cannot allocate memory");
	arena_release(&little);
}

TEST(a_large_file_that_can_not_be_written_is_an_error)
{
	char buf[16];
	struct sink out = sink_to_fd(1000, buf, sizeof(buf));

	make_large(1);
	CHECK_EQ(pprof_write(&file.profile, &three, &out, &file.err), -EBADF);
	CHECK_STR(file.err.text,
		  "cannot write the profile: Bad file descriptor");
}

TEST(a_file_that_can_not_be_written_is_an_error)
{
	char buf[16];
	struct sink out = sink_to_fd(1000, buf, sizeof(buf));

	file_new();
	put_basics();
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(pprof_write(&file.profile, NULL, &out, &file.err), -EBADF);
	CHECK_STR(file.err.text,
		  "cannot write the profile: Bad file descriptor");
}
