/* SPDX-License-Identifier: MIT */
/* Reading profile.proto: what is taken, and the sentence for what is not. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "pprof.h"
#include "test.h"

TEST(the_smallest_profile_is_an_empty_string)
{
	file_new();
	put_text("");
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.sample_count, 0);
	CHECK_EQ(file.profile.types.count, 0);
}

TEST(rows_keep_their_fields_and_ids)
{
	const struct location *l;

	file_new();
	put_basics();
	put_location(1, 1);
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(1), 2, N(42));
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.mappings.count, 2);
	CHECK_EQ(file.profile.mappings.at[1].start, 0x1000);
	CHECK_STR(profile_text(&file.profile, file.profile.mappings.at[1].file),
		  "c");
	l = &file.profile.locations.at[1];
	CHECK_EQ(l->id, 1);
	CHECK_EQ(l->mapping, 1);
	CHECK_EQ(l->line_count, 1);
	CHECK_EQ(location_lines(&file.profile, l)->line, 7);
	CHECK_EQ(file.profile.sample_count, 1);
	CHECK_EQ(profile_values(&file.profile, 0)[0], 42);
	CHECK_EQ(stack_depth(&file.profile.stacks, file.profile.stack[0]), 1);
}

TEST(parts_may_come_in_any_order)
{
	file_new();
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(9), 2, N(-5));
	put_location(9, 1);
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(9), 1, N(9), 2, N(1));
	put_basics();
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.sample_count, 2);
	CHECK_EQ(profile_values(&file.profile, 0)[0], -5);
	CHECK_EQ(stack_depth(&file.profile.stacks, file.profile.stack[1]), 2);
	CHECK_EQ(file.profile.locations.at[1].mapping, 1);
}

TEST(ids_may_be_sparse_and_huge)
{
	frame_id frames[2];

	file_new();
	put_basics();
	put_location(UINT64_MAX, 1);
	put_location(12345678901, 1);
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(12345678901), 1, N(UINT64_MAX), 2, N(1));
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(stack_frames(&file.profile.stacks, file.profile.stack[0],
			      frames, 2),
		 2);
	CHECK_EQ(file.profile.locations.at[frames[0]].id, 12345678901);
	CHECK_EQ(file.profile.locations.at[frames[1]].id, UINT64_MAX);
}

TEST(numbers_may_be_packed_or_not_or_both)
{
	size_t start;

	file_new();
	put_basics();
	put_location(1, 1);
	put_location(300, 1);
	start = proto_open(&file.out);
	proto_put_bytes(&file.out, PPROF_SAMPLE_LOCATION, span_of("", 0));
	proto_put_bytes(&file.out, PPROF_SAMPLE_LOCATION,
			span_of("\x01\xac\x02", 3));
	proto_put_number(&file.out, PPROF_SAMPLE_LOCATION, 1);
	proto_put_bytes(&file.out, PPROF_SAMPLE_LOCATION, span_of("\x01", 1));
	proto_put_bytes(&file.out, PPROF_SAMPLE_VALUE, span_of("\x05", 1));
	proto_close(&file.out, PPROF_SAMPLE, start);
	proto_put_bytes(&file.out, PPROF_COMMENT, span_of("\x01\x02", 2));
	proto_put_number(&file.out, PPROF_COMMENT, 3);
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(stack_depth(&file.profile.stacks, file.profile.stack[0]), 4);
	CHECK_EQ(profile_values(&file.profile, 0)[0], 5);
	CHECK_EQ(file.profile.comments.count, 3);
	CHECK_STR(profile_text(&file.profile, file.profile.comments.at[2]),
		  "c");
}

TEST(unknown_fields_are_skipped_everywhere)
{
	file_new();
	put_basics();
	put_location(1, 1);
	proto_put_number(&file.out, 99, 1);
	proto_put_bytes(&file.out, 16, span_text("later"));
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(1), 2, N(1), 77, N(5));
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(2), 2, N(1), 6, N(1000));
	sink_write(&file.out, "\x01", 1); /* field 0, fixed */
	sink_write(&file.out, "12345678", 8);
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.functions.count, 3);
}

TEST(a_stack_may_be_deep_and_may_be_empty)
{
	size_t start;

	file_new();
	put_basics();
	put_location(1, 1);
	start = proto_open(&file.out);
	for (unsigned i = 0; i < 100000; i++)
		proto_put_number(&file.out, PPROF_SAMPLE_LOCATION, 1);
	proto_put_number(&file.out, PPROF_SAMPLE_VALUE, 1);
	proto_close(&file.out, PPROF_SAMPLE, start);
	PUT_MESSAGE(PPROF_SAMPLE, PPROF_SAMPLE_VALUE, N(2));
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(stack_depth(&file.profile.stacks, file.profile.stack[0]),
		 100000);
	CHECK_EQ(file.profile.stack[1], 0);
}

/* Puts a sample of value 1 with the labels key, text, number, unit. */
static void put_labelled(const uint64_t labels[][4], unsigned count)
{
	size_t start = proto_open(&file.out);

	proto_put_number(&file.out, PPROF_SAMPLE_VALUE, 1);
	for (unsigned i = 0; i < count; i++)
		PUT_MESSAGE(PPROF_SAMPLE_LABEL, 1, labels[i][0], 2,
			    labels[i][1], 3, labels[i][2], 4, labels[i][3]);
	proto_close(&file.out, PPROF_SAMPLE, start);
}

TEST(labels_are_texts_or_numbers_or_lost)
{
	const uint64_t labels[][4] = {
		{ 2, 0, 7, 0 }, /* b = 7 */
		{ 1, 3, 9, 4 }, /* a = "c", whatever the rest says */
		{ 2, 0, 0, 0 }, /* lost */
		{ 2, 0, 0, 4 }, /* b = 0 d */
		{ 1, 2, 0, 0 }, /* a = "b" */
	};
	const struct label *l;
	uint32_t count;

	file_new();
	put_basics();
	put_labelled(labels, 5);
	CHECK_EQ(file_read(), 0);
	l = labels_get(&file.profile.label_sets, file.profile.labels[0],
		       &count);
	CHECK_EQ(count, 4);
	CHECK(!l[0].numeric);
	CHECK_STR(profile_text(&file.profile, l[0].text), "c");
	CHECK_STR(profile_text(&file.profile, l[1].text), "b");
	CHECK(l[2].numeric);
	CHECK_EQ(l[2].number, 7);
	CHECK_EQ(l[2].unit, 0);
	CHECK_EQ(l[3].number, 0);
	CHECK_STR(profile_text(&file.profile, l[3].unit), "d");
}

TEST(many_labels_in_a_bad_order_take_no_longer)
{
	const struct label *l;
	uint32_t count;
	size_t start;

	file_new();
	put_basics();
	start = proto_open(&file.out);
	proto_put_number(&file.out, PPROF_SAMPLE_VALUE, 1);
	for (unsigned i = 1; i <= 200000; i++)
		PUT_MESSAGE(PPROF_SAMPLE_LABEL, 1, N(i % 2 + 1), 3, N(i));
	proto_close(&file.out, PPROF_SAMPLE, start);
	CHECK_EQ(file_read(), 0);
	l = labels_get(&file.profile.label_sets, file.profile.labels[0],
		       &count);
	CHECK_EQ(count, 200000);
	for (unsigned i = 0; i < 100000; i++) {
		CHECK_EQ(l[i].number, 2 * i + 2);
		CHECK_EQ(l[100000 + i].number, 2 * i + 1);
	}
}

TEST(the_header_is_read)
{
	const struct profile_header *h = &file.profile.header;

	file_new();
	put_basics();
	proto_put_number(&file.out, PPROF_DROP_FRAMES, 1);
	proto_put_number(&file.out, PPROF_KEEP_FRAMES, 2);
	proto_put_number(&file.out, PPROF_TIME, 1000);
	proto_put_number(&file.out, PPROF_DURATION, 2000);
	PUT_MESSAGE(PPROF_PERIOD_TYPE, 1, N(4));
	PUT_MESSAGE(PPROF_PERIOD_TYPE, 2, N(3)); /* replaces the first */
	proto_put_number(&file.out, PPROF_PERIOD, 99);
	proto_put_number(&file.out, PPROF_DEFAULT_TYPE, 3);
	proto_put_number(&file.out, PPROF_DOC_URL, 4);
	CHECK_EQ(file_read(), 0);
	CHECK_STR(profile_text(&file.profile, h->drop_frames), "a");
	CHECK_STR(profile_text(&file.profile, h->keep_frames), "b");
	CHECK_STR(profile_text(&file.profile, h->default_type), "c");
	CHECK_STR(profile_text(&file.profile, h->doc_url), "d");
	CHECK_EQ(h->period_type.type, 0);
	CHECK_STR(profile_text(&file.profile, h->period_type.unit), "c");
	CHECK_EQ(h->time_nanos, 1000);
	CHECK_EQ(h->duration_nanos, 2000);
	CHECK_EQ(h->period, 99);
}

TEST(a_kernel_mapping_names_its_symbol_behind_its_file)
{
	const struct mapping *m;

	file_new();
	put_text("");
	put_text("[kernel.kallsyms]_stext");
	PUT_MESSAGE(PPROF_MAPPING, PPROF_MAPPING_ID, N(1), PPROF_MAPPING_FILE,
		    N(1));
	CHECK_EQ(file_read(), 0);
	m = &file.profile.mappings.at[1];
	CHECK_STR(profile_text(&file.profile, m->kernel_symbol), "_stext");
	CHECK_STR(profile_text(&file.profile, m->file),
		  "[kernel.kallsyms]_stext");
}

TEST(a_mapping_that_is_not_there_counts_as_none)
{
	file_new();
	put_basics();
	PUT_MESSAGE(PPROF_LOCATION, 1, N(1), 2, N(55));
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.locations.at[1].mapping, 0);
}

TEST(strings_may_hold_any_bytes)
{
	file_new();
	put_text("");
	proto_put_bytes(&file.out, PPROF_STRING, span_of("a\0\xff", 3));
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(1), 2, N(1));
	CHECK_EQ(file_read(), 0);
	CHECK_BYTES(
		profile_text(&file.profile, file.profile.functions.at[1].name),
		3, "a\0\xff", 3);
}

/*
 * What is wrong, and what is said of it.
 */

static void put_bad_type(void)
{
	PUT_MESSAGE(PPROF_SAMPLE_TYPE, 1, N(1), 2, N(5));
}

static void put_bad_mapping(void)
{
	PUT_MESSAGE(PPROF_MAPPING, 1, N(2), PPROF_MAPPING_BUILD_ID, N(77));
}

static void put_bad_function(void)
{
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(2), PPROF_FUNCTION_FILE, N(-1));
}

static void put_bad_label(void)
{
	const uint64_t good[][4] = { { 1, 1, 0, 0 } };
	const uint64_t bad[][4] = { { 77, 1, 0, 0 } };

	put_labelled(good, 1);
	put_labelled(good, 1);
	put_labelled(bad, 1);
}

static void put_bad_unit(void)
{
	const uint64_t bad[][4] = { { 1, 0, 1, 77 } };

	put_labelled(bad, 1);
}

static void put_bad_comment(void)
{
	proto_put_number(&file.out, PPROF_COMMENT, 1);
	proto_put_number(&file.out, PPROF_COMMENT, 6);
}

static void put_bad_drop(void)
{
	proto_put_number(&file.out, PPROF_DROP_FRAMES, 5);
}

static void put_bad_period(void)
{
	PUT_MESSAGE(PPROF_PERIOD_TYPE, 1, N(9));
}

static void put_few_values(void)
{
	PUT_MESSAGE(PPROF_SAMPLE, PPROF_SAMPLE_VALUE, N(1));
	PUT_MESSAGE(PPROF_SAMPLE, PPROF_SAMPLE_VALUE, N(1), PPROF_SAMPLE_VALUE,
		    N(2));
}

static void put_no_such_location(void)
{
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(8), 1, N(9), 2, N(1));
}

static void put_location_0(void)
{
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(0), 2, N(1));
}

static void put_id_0(void)
{
	PUT_MESSAGE(PPROF_MAPPING, 2, N(5));
}

static void put_same_function(void)
{
	PUT_MESSAGE(PPROF_FUNCTION, 1, N(1), 2, N(3));
}

static void put_same_location(void)
{
	put_location(600, 1);
	put_location(600, 1);
}

static void put_no_such_function(void)
{
	put_location(4, 7);
}

static void put_function_0(void)
{
	put_location(4, 0);
}

static void put_time_twice(void)
{
	proto_put_number(&file.out, PPROF_TIME, 5);
	proto_put_number(&file.out, PPROF_TIME, 5);
}

static void put_damaged_sample(void)
{
	PUT_MESSAGE(PPROF_SAMPLE, PPROF_SAMPLE_VALUE, N(1));
	proto_put_bytes(&file.out, PPROF_SAMPLE, span_of("\x0a\x05\x01", 3));
}

static void put_unended_location_id(void)
{
	proto_put_bytes(&file.out, PPROF_SAMPLE, span_of("\x0a\x01\x81", 3));
}

static void put_text_for_a_value(void)
{
	PUT_MESSAGE(PPROF_SAMPLE, PPROF_SAMPLE_VALUE, N(1));
	proto_put_bytes(&file.out, PPROF_SAMPLE, span_of("\x15\1\2\3\4", 5));
}

TEST(each_fault_of_a_profile_is_named)
{
	static const struct {
		void (*put)(void);
		const char *sentence;
	} faults[] = {
		{ put_bad_type,
		  "string table index 5 out of range in sample type 2" },
		{ put_bad_mapping,
		  "string table index 77 out of range in mapping 2" },
		{ put_bad_function,
		  "string table index -1 out of range in function 2" },
		{ put_bad_label,
		  "string table index 77 out of range in sample 3" },
		{ put_bad_unit,
		  "string table index 77 out of range in sample 1" },
		{ put_bad_comment,
		  "string table index 6 out of range in comment 2" },
		{ put_bad_drop,
		  "string table index 5 out of range in drop_frames" },
		{ put_bad_period,
		  "string table index 9 out of range in period_type" },
		{ put_few_values,
		  "malformed profile: sample 2 has 2 values, but there is 1 sample type" },
		{ put_no_such_location,
		  "malformed profile: sample 1 has location 8, which does not exist" },
		{ put_location_0,
		  "malformed profile: sample 1 has location 0, which does not exist" },
		{ put_id_0,
		  "malformed profile: found mapping with reserved ID=0" },
		{ put_same_function,
		  "malformed profile: multiple functions with same id: 1" },
		{ put_same_location,
		  "malformed profile: multiple locations with same id: 600" },
		{ put_no_such_function,
		  "malformed profile: location id: 4 has a line with nil function" },
		{ put_function_0,
		  "malformed profile: location id: 4 has a line with nil function" },
		{ put_time_twice, "concatenated profiles detected" },
		{ put_damaged_sample,
		  "malformed profile: sample 2 is damaged" },
		{ put_unended_location_id,
		  "malformed profile: sample 1 is damaged" },
		{ put_text_for_a_value,
		  "malformed profile: sample 2 is damaged" },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		file_new();
		put_basics();
		faults[i].put();
		CHECK_EQ(file_read(), -EBADMSG);
		CHECK_STR(file.err.text, faults[i].sentence);
	}
}

TEST(samples_need_types)
{
	file_new();
	put_text("");
	PUT_MESSAGE(PPROF_SAMPLE, 77, N(1));
	CHECK_EQ(file_read(), -EBADMSG);
	CHECK_STR(file.err.text,
		  "malformed profile: missing sample type information");
}

TEST(no_bytes_are_an_empty_input_file)
{
	file_new();
	CHECK_EQ(file_read(), -EBADMSG);
	CHECK_STR(file.err.text, "empty input file");
}

TEST(two_times_of_zero_are_no_concatenation)
{
	file_new();
	put_basics();
	proto_put_number(&file.out, PPROF_TIME, 0);
	proto_put_number(&file.out, PPROF_TIME, 5);
	CHECK_EQ(file_read(), 0);
	CHECK_EQ(file.profile.header.time_nanos, 5);
}

static int read_text(const char *text)
{
	file_new();
	sink_text(&file.out, text);
	return file_read();
}

TEST(what_is_no_protobuf_is_left_to_others)
{
	CHECK_EQ(read_text("heap profile: 1: 2 [3: 4] @ heapprofile\n"),
		 -ENOTSUP);
	CHECK_STR(file.err.text, "");
	CHECK_EQ(read_text("hello\n"), -ENOTSUP);
	CHECK_EQ(read_text("\n"), -ENOTSUP);
	CHECK_EQ(read_text("\x7f"
			   "ELF"),
		 -ENOTSUP);
	CHECK_STR(file.err.text, "");
}

TEST(without_a_string_table_it_is_no_profile)
{
	file_new();
	PUT_MESSAGE(PPROF_SAMPLE_TYPE, 77, N(1));
	CHECK_EQ(file_read(), -ENOTSUP);
}

TEST(a_string_table_begins_with_the_empty_string)
{
	file_new();
	put_text("a");
	CHECK_EQ(file_read(), -ENOTSUP);
	CHECK_STR(file.err.text, "its string table does not begin with ''");
}

TEST(a_known_field_of_the_wrong_kind_is_no_profile)
{
	for (unsigned field = 1; field < PPROF_PROFILE_END; field++) {
		file_new();
		sink_uleb(&file.out, field << 3 | PROTO_FIXED32);
		sink_write(&file.out, "1234", 4);
		put_text("");
		CHECK_EQ(file_read(), -ENOTSUP);
	}
}

TEST(a_table_row_of_the_wrong_kind_is_no_profile)
{
	static const unsigned rows[] = { PPROF_SAMPLE_TYPE, PPROF_MAPPING,
					 PPROF_LOCATION, PPROF_FUNCTION };

	for (unsigned i = 0; i < 4; i++) {
		file_new();
		put_text("");
		proto_put_bytes(&file.out, rows[i], span_of("\x0d\1\2\3\4", 5));
		CHECK_EQ(file_read(), -ENOTSUP);
		CHECK(strstr(file.err.text, " 1 is damaged"));
	}
}

TEST(a_profile_cut_anywhere_is_refused_or_read)
{
	struct span whole;

	file_new();
	put_basics();
	put_location(1, 1);
	PUT_MESSAGE(PPROF_SAMPLE, 1, N(1), 2, N(1));
	proto_put_number(&file.out, PPROF_TIME, 1000000);
	whole = sink_bytes(&file.out);
	for (size_t len = 1; len < whole.len; len++) {
		struct profile p;
		struct error err = { 0 };

		CHECK_EQ(profile_init(&p, &file.arena), 0);
		(void)pprof_read(&p, span_of(whole.at, len), &err);
	}
}

TEST(a_cut_file_is_named_as_such)
{
	file_new();
	put_basics();
	put_location(1, 1);
	file.out.used--;
	CHECK_EQ(file_read(), -ENOTSUP);
	CHECK(strstr(file.err.text, "it looks like a pprof profile, but is "
				    "damaged or cut short at byte "));
}

TEST(memory_that_does_not_suffice_is_an_error)
{
	struct arena small = { .limit = 256 << 10 };
	struct profile p;
	struct error err = { 0 };

	file_new();
	put_basics();
	for (unsigned i = 1; i < 20000; i++)
		put_location(i, 1);
	CHECK_EQ(profile_init(&p, &small), 0);
	CHECK_EQ(pprof_read(&p, sink_bytes(&file.out), &err), -ENOMEM);
	CHECK_STR(err.text, "not enough memory for the profile");
	arena_release(&small);
}

TEST(consuming_reads_the_same_and_gives_pages_back)
{
	struct span all;
	uint8_t *pages;
	unsigned char in_core[2000];
	struct error err = { 0 };
	size_t resident = 0;

	file_new();
	put_basics();
	put_location(1, 1);
	for (unsigned i = 0; i < 1000000; i++)
		PUT_MESSAGE(PPROF_SAMPLE, 1, N(1), 2, N(i & 63));
	all = sink_bytes(&file.out);
	CHECK(all.len > 5 << 20 && all.len / 4096 < sizeof(in_core));
	pages = mmap(NULL, all.len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED);
	memcpy(pages, all.at, all.len);
	CHECK_EQ(profile_init(&file.profile, &file.arena), 0);
	CHECK_EQ(pprof_consume(&file.profile, span_of(pages, all.len), &err),
		 0);
	CHECK_EQ(file.profile.sample_count, 1000000);
	CHECK_EQ(profile_values(&file.profile, 999999)[0], 999999 & 63);
	CHECK_EQ(mincore(pages, all.len, in_core), 0);
	for (size_t i = 0; i < all.len / 4096; i++)
		resident += in_core[i] & 1;
	CHECK(resident < (5 << 20) / 4096);
	munmap(pages, all.len);
}
