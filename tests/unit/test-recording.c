/* SPDX-License-Identifier: MIT */
/*
 * Recordings: what is written reads back the same, whatever is in it, and the
 * writer says what it cannot do.
 */
#include "format/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/recording_layout.h"
#include "recording_fixture.h"
#include "test.h"

TEST(what_is_written_reads_back_the_same)
{
	check_round_trip(small_profile());
}

TEST(odd_ids_values_labels_and_stacks_are_kept)
{
	check_round_trip(odd_profile());
}

TEST(an_empty_profile_is_kept)
{
	check_round_trip(new_profile());
}

TEST(types_without_samples_are_kept)
{
	struct profile *p = new_profile();

	add_type(p, "cpu", "");
	add_type(p, "", "");
	check_round_trip(p);
}

TEST(the_plug_point_writes_and_detects_it)
{
	struct profile *p = small_profile();
	struct sink out = sink_to_memory(&arena);
	struct error err = { 0 };

	CHECK_EQ(format_recording.write(p, NULL, &out, &err), 0);
	CHECK(format_recording.detect(sink_bytes(&out)));
	check_same(p, read_back(sink_bytes(&out)));
	CHECK(!format_recording.detect(span_text("\x89WICK\r\n")));
	CHECK_EQ(format_recording.read(new_profile(), span_text("hello"), &err),
		 -ENOTSUP);
}

/* More rows of every table than fit in one block, and very deep stacks. */
static struct profile *large_profile(void)
{
	struct profile *p = new_profile();
	uint32_t depth = 50000;
	frame_id *path = ARENA_ARRAY(&arena, frame_id, depth);
	uint64_t random = 1;
	char name[32];

	add_type(p, "cpu", "nanoseconds");
	for (uint32_t i = 0; i < 40000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		add_place(p, name, 0x1000 + 16 * i);
	}
	for (uint32_t i = 0; i < depth; i++)
		path[i] = 1 + i % 40000;
	add_sample(p, stack_add(&p->stacks, 0, path, depth), 0, 1);
	for (uint32_t i = 0; i < 300000; i++) {
		struct label l = { .key = text(p, "i"),
				   .number = i / 4,
				   .numeric = true };
		frame_id leaf[2];

		random = random * 6364136223846793005u + 1;
		leaf[0] = (frame_id)(1 + (random >> 33) % 300);
		leaf[1] = (frame_id)(1 + (random >> 43) % 40000);
		add_sample(p, stack_add(&p->stacks, 0, leaf, 2),
			   labels_add(&p->label_sets, &l, 1),
			   (int64_t)(random >> 40));
	}
	return p;
}

TEST(a_large_profile_is_kept)
{
	check_round_trip(large_profile());
}

TEST(what_nobody_uses_is_left_out_but_for_rows)
{
	struct profile *p = small_profile();
	frame_id frame = 1;
	struct span file;

	text(p, "a secret that no row names");
	stack_add(&p->stacks, 0, &frame, 1);
	odd_labels(p);
	file = write_at(p, RECORDING_STORE);
	CHECK(!memmem(file.at, file.len, "secret", 6));
	CHECK(!memmem(file.at, file.len, "worker", 6));
	check_same(p, read_back(file));
}

/* Copies the first rows and samples of all into p, as a recorder would. */
static void grow(struct profile *p, const struct profile *all, uint32_t step)
{
	while (p->locations.count < all->locations.count &&
	       p->locations.count <= step * 3) {
		const struct location *l =
			&all->locations.at[p->locations.count];

		add_place(p,
			  profile_text(
				  all,
				  all->functions.at[p->functions.count].name),
			  l->address);
	}
	p->header.duration_nanos = step;
	for (uint32_t i = 0; i < 3; i++) {
		frame_id path[4];
		uint32_t depth = 1 + (step + i) % 4;

		for (uint32_t j = 0; j < depth; j++)
			path[j] = 1 + (step * j * j + i) % (step * 3);
		add_sample(p, stack_add(&p->stacks, 0, path, depth), 0,
			   step * 10 + i);
	}
}

/*
 * Stacks are added in an order that splits nodes which are in the file already:
 * first a long one, later others that leave it half-way.
 */
TEST(many_flushes_give_what_one_gives)
{
	struct profile *names = new_profile();
	struct profile *p = new_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = 3 };
	struct error err = { 0 };

	add_type(names, "cpu", "count");
	for (uint32_t i = 0; i < 60; i++)
		add_place(names, i % 2 ? "odd" : "even", 0x1000 + i);
	add_type(p, "cpu", "count");
	CHECK_EQ(recording_begin(&rec, &err), 0);
	for (uint32_t step = 1; step <= 20; step++) {
		grow(p, names, step);
		CHECK_EQ(recording_flush(&rec, p, &err), 0);
		/* What is in the file so far is all there is. */
		check_same(p, ({
				   struct profile *q = read_back(
					   sink_bytes(&out));

				   CHECK_EQ(q->loss.count[LOSS_UNCLOSED], 1);
				   q->loss = p->loss;
				   q;
			   }));
	}
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	check_same(p, read_back(sink_bytes(&out)));
	check_same(p, read_back(write_at(p, RECORDING_LEVEL)));
}

TEST(a_node_that_is_split_after_it_was_written_stays_right)
{
	struct profile *p = new_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out };
	struct error err = { 0 };
	frame_id path[6];

	add_type(p, "cpu", "count");
	for (uint32_t i = 0; i < 6; i++)
		path[i] = add_place(p, "f", i);
	CHECK_EQ(recording_begin(&rec, &err), 0);
	add_sample(p, stack_add(&p->stacks, 0, path, 6), 0, 1);
	CHECK_EQ(recording_flush(&rec, p, &err), 0);
	add_sample(p, stack_add(&p->stacks, 0, path, 4), 0, 2);
	CHECK_EQ(recording_flush(&rec, p, &err), 0);
	add_sample(p, stack_add(&p->stacks, 0, path, 2), 0, 3);
	path[2] = 1;
	add_sample(p, stack_add(&p->stacks, 0, path, 5), 0, 4);
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	check_same(p, read_back(sink_bytes(&out)));
}

TEST(a_flush_with_nothing_new_adds_nothing)
{
	struct profile *p = odd_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = 3 };
	struct error err = { 0 };
	uint64_t before;

	CHECK_EQ(recording_begin(&rec, &err), 0);
	CHECK_EQ(recording_flush(&rec, p, &err), 0);
	before = out.total;
	CHECK_EQ(recording_flush(&rec, p, &err), 0);
	CHECK_EQ(out.total, before);
}

/* A recorder that keeps memory small empties the samples it has flushed. */
TEST(samples_may_be_emptied_between_flushes)
{
	struct profile *p = small_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = 3 };
	struct error err = { 0 };
	struct profile *q;

	CHECK_EQ(recording_begin(&rec, &err), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(recording_flush(&rec, p, &err), 0);
		rec.next_sample = 0;
	}
	rec.next_sample = p->sample_count;
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	q = read_back(sink_bytes(&out));
	CHECK_EQ(q->sample_count, 6);
	CHECK_EQ(q->stack[4], q->stack[0]);
}

TEST(times_are_kept)
{
	struct profile *p = small_profile();
	struct profile *q;

	CHECK_EQ(profile_keep_times(p), 0);
	for (uint32_t i = 0; i < p->sample_count; i++)
		p->time[i] = 1000000007LL * i - 5;
	q = read_back(write_at(p, RECORDING_LEVEL));
	CHECK(q->time);
	for (uint32_t i = 0; i < p->sample_count; i++)
		CHECK_EQ(q->time[i], p->time[i]);
}

/* Names are found when a recording ends; its locations are in the file then. */
TEST(lines_found_later_are_added)
{
	struct profile *p = new_profile();
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = 3 };
	struct mapping m = { .id = 1, .limit = 0x2000, .file = text(p, "a") };
	struct function f = { .id = 1, .name = text(p, "main") };
	struct line line = { .line = 5 };
	struct error err = { 0 };
	frame_id frame;

	add_type(p, "cpu", "ms");
	m.id = 1;
	frame = profile_add_location(
		p,
		(struct location){ .id = 1,
				   .address = 0x1136,
				   .mapping = profile_add_mapping(p, m) },
		NULL, 0);
	add_sample(p, stack_add(&p->stacks, 0, &frame, 1), 0, 30);
	CHECK_EQ(recording_begin(&rec, &err), 0);
	CHECK_EQ(recording_flush(&rec, p, &err), 0);

	line.function = profile_add_function(p, f);
	p->locations.at[frame].first_line = p->lines.count;
	p->locations.at[frame].line_count = 1;
	*VEC_PUSH(&p->lines, p->arena) = line;
	p->mappings.at[1].flags = MAPPING_HAS_FUNCTIONS |
				  MAPPING_HAS_LINE_NUMBERS;
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	check_same(p, read_back(sink_bytes(&out)));
}

/* The profile of the example in wick-recording(5). */
static struct profile *example_profile(void)
{
	struct profile *p = new_profile();
	struct function f = { .id = 1, .name = text(p, "main") };
	struct line line = { .line = 5 };
	frame_id frame;

	add_type(p, "cpu", "ms");
	line.function = profile_add_function(p, f);
	frame = profile_add_location(
		p, (struct location){ .id = 1, .address = 0x401136 }, &line, 1);
	add_sample(p, stack_add(&p->stacks, 0, &frame, 1), 0, 30);
	return p;
}

/* The bytes of the manual page's hexadecimal lines. */
static struct span example_bytes(FILE *page)
{
	struct sink out = sink_to_memory(&arena);
	char line[200];

	while (fgets(line, sizeof(line), page)) {
		char *at;

		/* Eight digits that say where the rest belongs. */
		if (strspn(line, "0123456789abcdef") != 8 ||
		    strtoul(line, &at, 16) != out.total)
			continue;
		for (;;) {
			char *end;
			unsigned long byte = strtoul(at, &end, 16);

			if (end == at)
				break;
			sink_char(&out, (char)byte);
			at = end;
		}
	}
	return sink_bytes(&out);
}

TEST(the_example_in_the_manual_is_right)
{
	struct profile *p = example_profile();
	struct span written = write_at(p, RECORDING_STORE);
	FILE *page = fopen(SOURCE_ROOT "/man/wick-recording.5", "r");
	struct span shown;

	CHECK(page);
	shown = example_bytes(page);
	fclose(page);
	check_same(p, read_back(shown));
	/* The file's header names the machine, which may be another one. */
	CHECK_BYTES(shown.at + RECORDING_HEAD, shown.len - RECORDING_HEAD,
		    written.at + RECORDING_HEAD, written.len - RECORDING_HEAD);
}

TEST(a_full_disk_is_reported)
{
	struct profile *p = small_profile();
	FILE *full = fopen("/dev/full", "w");
	struct error err = { 0 };
	char buf[64];
	struct sink out;

	CHECK(full);
	out = sink_to_fd(fileno(full), buf, sizeof(buf));
	CHECK_EQ(format_recording.write(p, NULL, &out, &err), -ENOSPC);
	CHECK_STR(err.text,
		  "cannot write the recording: No space left on device");
	fclose(full);
}

TEST(a_string_larger_than_a_block_is_refused)
{
	struct profile *p = small_profile();
	size_t len = BLOCK_RAW_MAX;
	char *huge = arena_alloc(&arena, len + 1);
	struct sink out = sink_to_memory(&arena);
	struct error err = { 0 };

	memset(huge, 'x', len);
	add_comment(p, huge);
	CHECK_EQ(format_recording.write(p, NULL, &out, &err), -E2BIG);
	CHECK_STR(err.text,
		  "a row of the profile is too large for a recording");
	huge[len - 1000] = '\0';
	p->comments.at[0] = text(p, huge);
	check_round_trip(p);
}

/* A profile of some hundred kilobytes. */
static struct profile *medium_profile(void)
{
	struct profile *p = small_profile();
	char name[32];

	for (uint32_t i = 0; i < 4000; i++) {
		struct label l = { .key = text(p, "n"),
				   .number = i,
				   .numeric = true };
		frame_id path[2];

		snprintf(name, sizeof(name), "function_%u", i);
		path[0] = 1 + i / 100;
		path[1] = add_place(p, name, i);
		add_sample(p, stack_add(&p->stacks, 0, path, 2),
			   labels_add(&p->label_sets, &l, 1), i);
	}
	return p;
}

TEST(a_reader_with_little_memory_reads_all_or_nothing)
{
	struct profile *p = medium_profile();
	struct span file = write_at(p, RECORDING_LEVEL);
	const char *expected = profile_dump(p, &arena);
	int r = -ENOMEM;

	for (size_t limit = 64 << 10; r < 0; limit += 8 << 10) {
		struct arena small = { .limit = limit };
		struct error err = { .text = "" };
		struct profile q;

		CHECK(limit < 8 << 20);
		if (profile_init(&q, &small) == 0)
			r = format_recording.read(&q, file, &err);
		if (r == 0)
			CHECK_STR(profile_dump(&q, &arena), expected);
		else
			CHECK_EQ(r, -ENOMEM);
		arena_release(&small);
	}
}

TEST(a_writer_with_little_memory_writes_all_or_says_so)
{
	struct profile *p = medium_profile();
	int r = -ENOMEM;

	for (size_t limit = 64 << 10; r < 0; limit += 64 << 10) {
		struct arena small = { .limit = limit };
		struct sink out = sink_to_memory(&arena);
		struct recording rec = { .arena = &small,
					 .out = &out,
					 .level = RECORDING_LEVEL };
		struct error err = { .text = "" };

		CHECK(limit < 16 << 20);
		r = recording_begin(&rec, &err);
		if (r == 0)
			r = recording_end(&rec, p, &err);
		if (r == 0)
			check_same(p, read_back(sink_bytes(&out)));
		else
			CHECK_STR(err.text, "out of memory");
		arena_release(&small);
	}
}

TEST(a_writer_without_memory_says_so)
{
	struct profile *p = small_profile();
	struct arena tiny = { .limit = 1 << 20 };
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &tiny, .out = &out, .level = 3 };
	struct error err = { 0 };

	CHECK_EQ(recording_begin(&rec, &err), -ENOMEM);
	CHECK_STR(err.text, "out of memory");
	arena_release(&tiny);
	tiny.limit = 100 << 10;
	rec.level = RECORDING_STORE;
	CHECK_EQ(recording_begin(&rec, &err), 0);
	CHECK_EQ(recording_flush(&rec, p, &err), -ENOMEM);
	arena_release(&tiny);
}
