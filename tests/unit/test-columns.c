/* SPDX-License-Identifier: MIT */
/* What the page is given: the columns of a profile, byte for byte. */
#include "serve/columns.h"

#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "folded.h"
#include "serve/pagefile.h"
#include "test.h"

static struct arena arena;
static struct error err;
static struct span file;

static void write_file(const struct profile *p, struct columns_options o)
{
	struct sink out = sink_to_memory(&arena);

	CHECK_EQ(columns_write(p, &o, &out, NULL, &err), 0);
	CHECK_EQ(sink_flush(&out), 0);
	file = sink_bytes(&out);
}

static struct profile begin(const char *text)
{
	arena_release(&arena);
	return folded(&arena, text);
}

static uint32_t word(size_t at)
{
	uint32_t value;

	memcpy(&value, file.at + at, sizeof(value));
	return value;
}

static const char *json(void)
{
	return arena_text(&arena, (const char *)file.at + 16, word(12));
}

static uint64_t number_at(const char **text)
{
	uint64_t n = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		n = n * 10 + (uint64_t)(**text - '0');
	return n;
}

/* Where a column is, how wide its numbers are and how many. */
struct found {
	const uint8_t *at;
	unsigned width;
	uint64_t count;
};

static struct found column(const char *name)
{
	char key[64];
	const char *at;
	struct found f = { 0 };

	fmt_text(key, sizeof(key), "\"%s\":[\"", name);
	at = strstr(json(), key);
	if (!at)
		return f;
	at += strlen(key);
	f.width = at[0] == 'f' ? 8 : at[1] == '8' ? 1 : at[1] == '1' ? 2 : 4;
	at = strchr(at, ',') + 1;
	f.at = file.at + 16 + word(12) + number_at(&at);
	at++;
	f.count = number_at(&at);
	return f;
}

static uint64_t get(const char *name, uint64_t i)
{
	struct found f = column(name);
	uint64_t value = 0;

	CHECK(i < f.count);
	memcpy(&value, f.at + i * f.width, f.width);
	return value;
}

static const char *string(uint64_t i)
{
	uint64_t from = i ? get("stringEnd", i - 1) : 0;

	return arena_text(&arena, (const char *)column("stringBytes").at + from,
			  get("stringEnd", i) - from);
}

TEST(a_file_begins_with_its_kind_and_version)
{
	struct profile p = begin("a;b 1\n");

	write_file(&p, (struct columns_options){ .name = "x.wick" });
	CHECK_BYTES(file.at, 8, PAGEFILE_MAGIC, 8);
	CHECK_EQ(word(8), PAGEFILE_VERSION);
	CHECK(strstr(json(), "\"name\":\"x.wick\""));
	CHECK_EQ((16 + word(12)) % 8, 0);
}

TEST(functions_are_numbered_by_name)
{
	struct profile p = begin("z;m 1\nz;a 2\n");

	write_file(&p, (struct columns_options){ 0 });
	CHECK_EQ(column("functionName").count, 3);
	CHECK_STR(string(get("functionName", 0)), "a");
	CHECK_STR(string(get("functionName", 2)), "z");
	CHECK_STR(string(get("functionFile", 0)), "a.c");
	CHECK_STR(string(get("functionModule", 0)), "/bin/prog");
}

TEST(samples_lead_through_stacks_to_segments)
{
	struct profile p = begin("z;m 1\nz;a 2\n");

	write_file(&p, (struct columns_options){ 0 });
	/* Segments: z, then a, then m. */
	CHECK_EQ(get("stackSegment", get("sampleStack", 0)), 3);
	CHECK_EQ(get("stackSegment", get("sampleStack", 1)), 2);
	CHECK_EQ(get("value0", 1), 2);
}

TEST(numbers_are_as_narrow_as_they_can_be)
{
	struct profile p = begin("a 1\na;b 255\n");
	struct profile wide;

	write_file(&p, (struct columns_options){ 0 });
	CHECK_EQ(column("value0").width, 1);
	wide = begin("a 1\na;b 70000\n");
	write_file(&wide, (struct columns_options){ 0 });
	CHECK_EQ(column("value0").width, 4);
	CHECK_EQ(get("value0", 1), 70000);
	wide = begin("a 1\na;b 5000000000\n");
	write_file(&wide, (struct columns_options){ 0 });
	CHECK_EQ(column("value0").width, 8);
}

TEST(planes_hold_the_same_bytes_in_another_order)
{
	struct profile p = begin("a 258\na;b 772\n");
	struct found f;

	write_file(&p, (struct columns_options){ .planes = true });
	f = column("value0");
	CHECK_EQ(f.width, 2);
	CHECK_BYTES(f.at, 4, "\2\4\1\3", 4);
}

static labels_id thread_labels(struct profile *p, const char *name, int64_t tid)
{
	struct label l[2] = {
		{ .key = strtab_add_text(p->strings, "thread"),
		  .text = strtab_add_text(p->strings, name) },
		{ .key = strtab_add_text(p->strings, "tid"),
		  .number = tid,
		  .numeric = true },
	};

	return labels_add(&p->label_sets, l, 2);
}

TEST(threads_are_told_by_labels)
{
	struct profile p = begin("a 1\na;b 2\na;c 3\n");

	p.labels[0] = thread_labels(&p, "worker", 7);
	p.labels[1] = thread_labels(&p, "worker", 8);
	p.labels[2] = p.labels[0];
	write_file(&p, (struct columns_options){ 0 });
	CHECK_EQ(get("setThread", get("sampleSet", 0)),
		 get("setThread", get("sampleSet", 2)));
	CHECK(get("setThread", get("sampleSet", 0)) !=
	      get("setThread", get("sampleSet", 1)));
	CHECK_STR(string(get("labelKey", 0)), "thread");
	CHECK_STR(string(get("labelValue", 0)), "worker");
}

TEST(samples_stand_in_the_order_of_their_times)
{
	struct profile p = begin("a 1\na;b 2\na;c 3\n");

	CHECK_EQ(profile_keep_times(&p), 0);
	p.time[0] = 5000000;
	p.time[1] = -2000000;
	p.time[2] = 1000000;
	write_file(&p, (struct columns_options){ 0 });
	CHECK_EQ(get("value0", 0), 2);
	CHECK_EQ(get("value0", 2), 1);
	CHECK_EQ(get("sampleStep", 0), 0);
	CHECK_EQ(get("sampleStep", 1), 3000);
	CHECK_EQ(get("sampleStep", 2), 4000);
	CHECK(strstr(json(), "\"start\":-2000000"));
}

TEST(a_type_that_is_a_multiple_is_not_stored)
{
	struct profile p;
	struct value_type *type;
	frame_id frame = 0;

	arena_release(&arena);
	p = folded(&arena, "");
	type = VEC_PUSH(&p.types, &arena);
	type->type = strtab_add_text(p.strings, "cpu");
	type->unit = strtab_add_text(p.strings, "nanoseconds");
	frame = folded_location(&p, "a", 1);
	for (int64_t i = 1; i < 3; i++) {
		int64_t *v = profile_add_sample(
			&p, stack_add(&p.stacks, 0, &frame, 1), 0);

		v[0] = i;
		v[1] = i * 1000;
	}
	write_file(&p, (struct columns_options){ 0 });
	CHECK(!column("value1").at);
	CHECK(strstr(json(), "\"factor\":1000"));
}

TEST(text_is_made_harmless)
{
	struct profile p = begin("a\xff;b\x1b[2J;\xe2\x80\xae"
				 "c 1\n");

	write_file(&p, (struct columns_options){ 0 });
	CHECK_STR(string(get("functionName", 0)), "a\xef\xbf\xbd");
	CHECK_STR(string(get("functionName", 1)), "b\\u{1b}[2J");
	CHECK_STR(string(get("functionName", 2)), "\\u{202e}c");
}

TEST(a_name_of_a_megabyte_is_cut)
{
	size_t len = (size_t)1 << 20;
	char *text;
	struct profile p;

	arena_release(&arena);
	text = arena_alloc(&arena, len + 8);
	memset(text, 'x', len);
	memcpy(text + len, "\n", 2);
	p = folded(&arena, "a 1\n");
	p.functions.at[1].name = strtab_add(p.strings, text, len);
	write_file(&p, (struct columns_options){ 0 });
	CHECK(strlen(string(get("functionName", 0))) < 5000);
}

TEST(nothing_is_a_page_too)
{
	struct profile p = begin("");

	write_file(&p, (struct columns_options){ 0 });
	CHECK_EQ(column("sampleStack").count, 0);
	CHECK_EQ(column("entries").count, 0);
}

TEST(a_comparison_says_of_how_many_samples_each_side_is)
{
	struct profile p = begin("a;b 1\n");

	write_file(&p, (struct columns_options){ .compare = true,
						 .counts = { 7, 9 } });
	CHECK(strstr(json(), "\"compare\":true"));
	CHECK(strstr(json(), "\"counts\":[7,9]"));
}

TEST(places_name_the_file_of_each_line)
{
	struct profile p = begin("main;b 1\nmain;a 2\n");
	struct sink out = sink_to_memory(&arena);
	struct sink places = sink_to_memory(&arena);
	const struct columns_options o = { 0 };

	CHECK_EQ(columns_write(&p, &o, &out, &places, &err), 0);
	CHECK_EQ(sink_flush(&places), 0);
	file = sink_bytes(&places);
	CHECK(strstr(json(), "\"files\":[\"\",\"main.c\",\"b.c\",\"a.c\"]"));
	CHECK_EQ(column("lineFile").count, column("lineNumber").count);
	CHECK_EQ(get("lineFile", 0), 1);
	CHECK_EQ(get("lineFile", 2), 3);
}
