/* SPDX-License-Identifier: MIT */
/*
 * Profiles for the tests of recordings, and the ways to write and read them.
 * Not every test needs all of it.
 */
#ifndef WICK_TEST_RECORDING_FIXTURE_H
#define WICK_TEST_RECORDING_FIXTURE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/recording.h"
#include "profile_dump.h"
#include "test.h"

/* A test program's memory; nothing is given back before its end. */
static struct arena arena;

static inline struct profile *new_profile(void)
{
	struct profile *p = ARENA_NEW(&arena, struct profile);

	CHECK(p);
	CHECK_EQ(profile_init(p, &arena), 0);
	return p;
}

static inline str_id text(struct profile *p, const char *s)
{
	return strtab_add_text(p->strings, s);
}

static inline void add_type(struct profile *p, const char *type,
			    const char *unit)
{
	struct value_type *t = VEC_PUSH(&p->types, p->arena);

	CHECK(t);
	*t = (struct value_type){ text(p, type), text(p, unit) };
}

static inline void add_comment(struct profile *p, const char *comment)
{
	str_id *c = VEC_PUSH(&p->comments, p->arena);

	CHECK(c);
	*c = text(p, comment);
}

/* A function, a location in it at this address, with one line. */
static inline location_id add_place(struct profile *p, const char *name,
				    uint64_t address)
{
	struct function f = { .id = p->functions.count,
			      .name = text(p, name),
			      .system_name = text(p, name),
			      .file = text(p, "main.c"),
			      .start_line = 7 };
	struct line line = { .function = profile_add_function(p, f),
			     .line = (int64_t)address & 0xff };
	struct location l = { .id = p->locations.count,
			      .address = address,
			      .mapping = p->mappings.count > 1 };

	return profile_add_location(p, l, &line, 1);
}

static inline void add_sample(struct profile *p, stack_id stack,
			      labels_id labels, int64_t value)
{
	int64_t *values = profile_add_sample(p, stack, labels);

	CHECK(values);
	for (uint32_t i = 0; i < p->types.count; i++)
		values[i] = value + i;
}

static inline void add_mapping(struct profile *p)
{
	struct mapping m = { .id = p->mappings.count,
			     .start = 0x400000,
			     .limit = 0x500000,
			     .offset = 0x1000,
			     .file = text(p, "/usr/bin/server"),
			     .build_id = text(p, "abc123"),
			     .flags = MAPPING_HAS_FUNCTIONS };

	CHECK(profile_add_mapping(p, m));
}

/* Three functions, two samples, one type. */
static inline struct profile *small_profile(void)
{
	struct profile *p = new_profile();
	frame_id path[3];

	add_type(p, "cpu", "nanoseconds");
	add_mapping(p);
	path[0] = add_place(p, "main", 0x400100);
	path[1] = add_place(p, "serve", 0x400200);
	path[2] = add_place(p, "parse", 0x400300);
	p->header.time_nanos = 1700000000000000000;
	p->header.period = 10000000;
	p->header.period_type = p->types.at[0];
	add_sample(p, stack_add(&p->stacks, 0, path, 3), 0, 10000000);
	add_sample(p, stack_add(&p->stacks, 0, path, 2), 0, 20000000);
	return p;
}

static inline labels_id odd_labels(struct profile *p)
{
	struct label labels[] = {
		{ .key = text(p, "bytes"),
		  .number = INT64_MIN,
		  .unit = text(p, "bytes"),
		  .numeric = true },
		{ .key = text(p, "thread"), .text = text(p, "worker") },
		{ .key = text(p, "thread"), .text = text(p, "") },
		{ .key = text(p, ""), .number = 0, .numeric = true },
	};

	return labels_add(&p->label_sets, labels, 4);
}

/* Everything that a pprof file may hold and few do. */
static inline struct profile *odd_profile(void)
{
	struct profile *p = new_profile();
	struct line lines[3] = { { 0 } };
	frame_id path[4];
	labels_id labels = odd_labels(p);
	labels_id other;

	add_type(p, "objects", "count");
	add_type(p, "space", "bytes");
	add_mapping(p);
	add_mapping(p);
	p->mappings.at[1].id = UINT64_MAX;
	p->mappings.at[2].id = 1;
	p->mappings.at[2].start = UINT64_MAX - 1;
	p->mappings.at[2].limit = 0;
	p->mappings.at[2].kernel_symbol = text(p, "_stext");
	for (uint32_t i = 0; i < 3; i++) {
		path[i] = add_place(p, "f", (uint64_t)1 << (63 - i));
		p->functions.at[i + 1].id = (uint64_t)1 << (40 + i);
		lines[i] = (struct line){ .function = 3 - i,
					  .line = -1 - (int64_t)i,
					  .column = INT64_MAX };
	}
	p->functions.at[2].name = text(p, "");
	p->functions.at[3].start_line = INT64_MIN;
	path[3] = profile_add_location(
		p, (struct location){ .id = 1u << 31, .folded = true }, lines,
		3);
	p->locations.at[2].mapping = 0;
	/* Nobody uses this one. */
	CHECK(profile_add_location(p, (struct location){ .id = 77 }, NULL, 0));
	p->header = (struct profile_header){
		.time_nanos = -1,
		.duration_nanos = INT64_MAX,
		.period = INT64_MIN,
		.period_type = { text(p, "a\nb"), text(p, "\xff") },
		.default_type = text(p, "space"),
		.drop_frames = text(p, "^_"),
		.keep_frames = text(p, "x|y"),
		.doc_url = text(p, "https://example.org/"),
	};
	add_comment(p, "one");
	add_comment(p, "");
	add_comment(p, "one");
	p->loss.count[LOSS_SAMPLES] = 12345678901;
	p->loss.count[LOSS_OTHER] = 2;

	add_sample(p, stack_add(&p->stacks, 0, path, 4), labels, INT64_MIN);
	add_sample(p, stack_add(&p->stacks, 0, path, 2), 0, -1);
	add_sample(p, 0, labels, 0);
	add_sample(p, 0, 0, 0);
	add_sample(p, stack_add(&p->stacks, 0, path, 4), labels, INT64_MIN);
	add_sample(p, stack_add(&p->stacks, 0, path + 1, 3), 0, 5);
	other = labels_add(
		&p->label_sets,
		&(struct label){ .key = text(p, "k"), .text = text(p, "v") },
		1);
	add_sample(p, stack_add(&p->stacks, 0, path, 1), other, 5);
	return p;
}

static inline struct span write_at(const struct profile *p, int level)
{
	struct sink out = sink_to_memory(&arena);
	struct recording rec = { .arena = &arena, .out = &out, .level = level };
	struct error err = { 0 };

	CHECK_EQ(recording_begin(&rec, &err), 0);
	CHECK_EQ(recording_end(&rec, p, &err), 0);
	return sink_bytes(&out);
}

static inline struct profile *read_back(struct span file)
{
	struct profile *p = new_profile();
	struct error err = { .text = "" };

	format_recording.read(p, file, &err);
	CHECK_STR(err.text, "");
	return p;
}

static inline const char *loss_text(const struct profile *p)
{
	struct sink out = sink_to_memory(&arena);

	loss_write(&p->loss, &out);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

static inline void check_same(const struct profile *a, const struct profile *b)
{
	CHECK_STR(profile_dump(b, &arena), profile_dump(a, &arena));
}

static inline void check_round_trip(const struct profile *p)
{
	check_same(p, read_back(write_at(p, RECORDING_LEVEL)));
	check_same(p, read_back(write_at(p, RECORDING_STORE)));
}

#endif /* WICK_TEST_RECORDING_FIXTURE_H */
