/* SPDX-License-Identifier: MIT */
/* The raw report. */
#include "report/raw.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sink.h"
#include "profile/profile.h"
#include "test.h"

static struct {
	struct arena arena;
	struct profile profile;
} t;

static str_id text(const char *s)
{
	return strtab_add_text(t.profile.strings, s);
}

static struct profile *begin(void)
{
	arena_release(&t.arena);
	CHECK_EQ(profile_init(&t.profile, &t.arena), 0);
	return &t.profile;
}

static void add_type(const char *type, const char *unit)
{
	struct value_type *row = VEC_PUSH(&t.profile.types, &t.arena);

	CHECK(row);
	*row = (struct value_type){ text(type), text(unit) };
}

static const char *raw(void)
{
	struct sink out = sink_to_memory(&t.arena);

	CHECK_EQ(profile_check(&t.profile, NULL), 0);
	CHECK_EQ(raw_write(&t.profile, &out), 0);
	sink_char(&out, '\0');
	return out.buf;
}

TEST(an_empty_profile_has_headings)
{
	begin();
	CHECK_STR(raw(), "PeriodType:  \n"
			 "Period: 0\n"
			 "Samples:\n"
			 "\n"
			 "Locations\n"
			 "Mappings\n");
}

TEST(comments_and_the_link_come_first)
{
	struct profile *p = begin();

	*VEC_PUSH(&p->comments, &t.arena) = text("one");
	*VEC_PUSH(&p->comments, &t.arena) = text("two");
	p->header.doc_url = text("http://x/");
	p->header.period_type = (struct value_type){ text("cpu"),
						     text("nanoseconds") };
	p->header.period = -5;
	add_type("samples", "count");
	add_type("cpu", "nanoseconds");
	p->header.default_type = text("cpu");
	CHECK_STR(raw(), "Comment: one\n"
			 "Comment: two\n"
			 "Doc: http://x/\n"
			 "PeriodType: cpu nanoseconds\n"
			 "Period: -5\n"
			 "Samples:\n"
			 "samples/count cpu/nanoseconds[dflt]\n"
			 "Locations\n"
			 "Mappings\n");
}

/* The line that follows "Period: 0". */
static const char *third_line(void)
{
	char *line = strstr(raw(), "Period: 0\n");

	CHECK(line);
	line += strlen("Period: 0\n");
	*strchr(line, '\n') = '\0';
	return line;
}

static const char *time_text(const char *zone, int64_t nanos)
{
	begin()->header.time_nanos = nanos;
	CHECK_EQ(setenv("TZ", zone, 1), 0);
	return third_line();
}

TEST(times_are_shown_in_the_local_zone)
{
	const int64_t t0 = 1136214245 * (int64_t)1000000000;

	CHECK_STR(time_text("UTC", t0), "Time: 2006-01-02 15:04:05 +0000 UTC");
	CHECK_STR(time_text("UTC", t0 + 120000000),
		  "Time: 2006-01-02 15:04:05.12 +0000 UTC");
	CHECK_STR(time_text("UTC", t0 + 1),
		  "Time: 2006-01-02 15:04:05.000000001 +0000 UTC");
	CHECK_STR(time_text("MST7", t0), "Time: 2006-01-02 08:04:05 -0700 MST");
	CHECK_STR(time_text("XST-5:45", t0),
		  "Time: 2006-01-02 20:49:05 +0545 XST");
	CHECK_STR(time_text("UTC", -1),
		  "Time: 1969-12-31 23:59:59.999999999 +0000 UTC");
}

static const char *duration_text(int64_t nanos)
{
	begin()->header.duration_nanos = nanos;
	return third_line();
}

TEST(durations_are_cut_after_four_characters)
{
	const int64_t second = 1000000000;

	CHECK_STR(duration_text(1), "Duration: 1ns");
	CHECK_STR(duration_text(1500), "Duration: 1.5µ");
	CHECK_STR(duration_text(12000), "Duration: 12µs");
	CHECK_STR(duration_text(2000000), "Duration: 2ms");
	CHECK_STR(duration_text(2 * second), "Duration: 2s");
	CHECK_STR(duration_text(2 * second + 4000000), "Duration: 2.00");
	CHECK_STR(duration_text(10100000000), "Duration: 10.1");
	CHECK_STR(duration_text(240 * second), "Duration: 4m0s");
	CHECK_STR(duration_text(245 * second), "Duration: 4m5s");
	CHECK_STR(duration_text(250 * second), "Duration: 4m10");
	CHECK_STR(duration_text(3600 * second), "Duration: 1h0m");
	CHECK_STR(duration_text(-second), "Duration: -1s");
	CHECK_STR(duration_text(INT64_MIN), "Duration: -256");
}

static void add_location(struct location l, const struct line *lines,
			 uint32_t count)
{
	CHECK(profile_add_location(&t.profile, l, lines, count));
}

static stack_id stack_of(frame_id leaf, frame_id caller)
{
	frame_id frames[] = { leaf, caller };

	return stack_add_leaf_first(&t.profile.stacks, frames, 2);
}

TEST(samples_name_their_locations_by_the_files_ids)
{
	struct profile *p = begin();
	int64_t *value;

	add_type("a", "b");
	add_type("c", "d");
	add_location((struct location){ .id = 7 }, NULL, 0);
	add_location((struct location){ .id = UINT64_MAX, .address = 255 },
		     NULL, 0);
	value = profile_add_sample(p, stack_of(2, 1), 0);
	value[0] = 1;
	value[1] = INT64_MIN;
	profile_add_sample(p, 0, 0);
	CHECK_STR(raw(),
		  "PeriodType:  \n"
		  "Period: 0\n"
		  "Samples:\n"
		  "a/b c/d\n"
		  "          1 -9223372036854775808: 18446744073709551615 7 \n"
		  "          0          0: \n"
		  "Locations\n"
		  "     7: 0x0 \n"
		  "18446744073709551615: 0xff \n"
		  "Mappings\n");
}

TEST(lines_of_a_location_stand_below_each_other)
{
	struct profile *p = begin();
	struct line lines[] = { { 1, 3, 9 }, { 2, -1, 0 } };

	profile_add_mapping(p, (struct mapping){ .id = 5 });
	profile_add_function(p, (struct function){ .id = 1,
						   .name = text("f"),
						   .system_name = text("_Zf"),
						   .file = text("a.c"),
						   .start_line = 2 });
	profile_add_function(p, (struct function){ .id = 2,
						   .name = text("g"),
						   .system_name = text("g") });
	add_location((struct location){ .id = 1, .mapping = 1, .folded = true },
		     lines, 2);
	CHECK(strstr(raw(), "Locations\n"
			    "     1: 0x0 M=5 [F] f a.c:3:9 s=2(_Zf)\n"
			    "             g :-1:0 s=0\n"
			    "Mappings\n"));
}

TEST(mappings_tell_what_is_known_of_their_symbols)
{
	struct profile *p = begin();

	profile_add_mapping(p, (struct mapping){ .id = 1,
						 .start = 0x1000,
						 .limit = UINT64_MAX,
						 .file = text("/bin/x"),
						 .build_id = text("ab"),
						 .flags = 15 });
	profile_add_mapping(
		p, (struct mapping){ .id = 9, .flags = MAPPING_HAS_FILENAMES });
	CHECK(strstr(
		raw(),
		"Mappings\n"
		"1: 0x1000/0xffffffffffffffff/0x0 /bin/x ab [FN][FL][LN][IN]\n"
		"9: 0x0/0x0/0x0   [FL]\n"));
}

static void add_labelled_sample(struct label *labels, uint32_t count)
{
	struct profile *p = &t.profile;

	CHECK(profile_add_sample(p, 0,
				 labels_add(&p->label_sets, labels, count)));
}

static struct label string_label(const char *key, const char *value)
{
	return (struct label){ .key = text(key), .text = text(value) };
}

static struct label number_label(const char *key, int64_t number,
				 const char *unit)
{
	return (struct label){ .key = text(key),
			       .number = number,
			       .unit = text(unit),
			       .numeric = true };
}

TEST(labels_have_a_line_for_strings_and_one_for_numbers)
{
	begin();
	add_type("a", "b");
	add_labelled_sample(
		(struct label[]){
			number_label("n", 1, ""),
			string_label("k", "v"),
			number_label("size", 8, "bytes"),
			string_label("k", "w"),
			number_label("size", 16, ""),
			number_label("n", -2, ""),
		},
		6);
	CHECK(strstr(raw(), "          0: \n"
			    "                k:[v w]\n"
			    "                n:[1 -2] size:[8 bytes 16 ]\n"
			    "Locations\n"));
}

TEST(labels_are_sorted_by_what_is_printed)
{
	begin();
	add_type("a", "b");
	add_labelled_sample(
		(struct label[]){
			string_label("a", "1"),
			string_label("a b", "2"),
			string_label("A", "3"),
		},
		3);
	CHECK(strstr(raw(), "                A:[3] a b:[2] a:[1]\n"));
}
