/* SPDX-License-Identifier: MIT */
/*
 * Writes a large made-up recording to measure the page with: samples with times
 * and threads, over random stacks that share their beginnings as those of
 * programs do.  The same arguments give the same bytes.
 *
 * usage: view-profile SAMPLES STACKS DEPTH FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "format/format.h"
#include "profile/profile.h"

enum { FUNCTIONS = 20000, THREADS = 16, NEW_FRAMES = 13, DEEPEST = 4096 };

static struct profile p;
static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) * n >> 31);
}

static void add_functions(void)
{
	mapping_id m = profile_add_mapping(
		&p, (struct mapping){ .id = 1,
				      .start = 0x400000,
				      .limit = 0x8000000,
				      .file = strtab_add_text(
					      p.strings, "/usr/bin/server"),
				      .flags = MAPPING_HAS_FUNCTIONS });

	for (uint32_t i = 1; i <= FUNCTIONS; i++) {
		struct line line = { .line = 100 + i % 50 };
		char text[128];
		str_id name, file;

		fmt_text(text, sizeof(text),
			 "server::module%u::Handler%u<std::string>::run",
			 i % 97, i);
		name = strtab_add_text(p.strings, text);
		fmt_text(text, sizeof(text), "/src/module%u/handler%u.cc",
			 i % 97, i / 12);
		file = strtab_add_text(p.strings, text);
		line.function = profile_add_function(
			&p, (struct function){ .id = i,
					       .name = name,
					       .system_name = name,
					       .file = file,
					       .start_line = 90 });
		profile_add_location(
			&p,
			(struct location){ .id = i,
					   .address = 0x400000 +
						      64 * (uint64_t)i,
					   .mapping = m },
			&line, 1);
	}
}

/* Each stack begins as another one does, and ends as none. */
static stack_id *add_stacks(uint32_t count, uint32_t depth)
{
	frame_id(*frames)[DEEPEST] = calloc(256, sizeof(*frames));
	uint32_t length[256] = { 0 };
	stack_id *ids = calloc(count, sizeof(*ids));

	for (uint32_t i = 0; frames && ids && i < count; i++) {
		uint32_t from = below(256), to = i % 256;
		uint32_t want = depth / 2 + below(depth);
		uint32_t kept = want > NEW_FRAMES
					? want - 1 - below(2 * NEW_FRAMES)
					: 0;

		if (kept > length[from])
			kept = length[from];
		memmove(frames[to], frames[from], kept * sizeof(frame_id));
		for (uint32_t k = kept; k < want; k++)
			frames[to][k] = 1 + below(FUNCTIONS);
		length[to] = want;
		ids[i] = stack_add(&p.stacks, 0, frames[to], want);
	}
	free(frames);
	return ids;
}

static labels_id thread_labels(uint32_t thread)
{
	char name[32];
	struct label l[2] = { { .key = strtab_add_text(p.strings, "thread") },
			      { .key = strtab_add_text(p.strings, "tid"),
				.number = 1000 + thread,
				.numeric = true } };

	fmt_text(name, sizeof(name), "worker-%u", thread);
	l[0].text = strtab_add_text(p.strings, name);
	return labels_add(&p.label_sets, l, 2);
}

static void add_samples(uint32_t count, const stack_id *stacks,
			uint32_t stack_count)
{
	labels_id labels[THREADS];

	for (uint32_t i = 0; i < THREADS; i++)
		labels[i] = thread_labels(i);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t stack = i < stack_count ? i : below(stack_count);
		int64_t *v = profile_add_sample(&p, stacks[stack],
						labels[below(THREADS)]);

		v[0] = 1;
		v[1] = 1000000;
		p.time[i] = (int64_t)i * 62500 + below(60000);
	}
}

static int write_file(const char *path, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	struct error err;
	FILE *f = fopen(path, "wb");

	if (!f || format_find("wick")->write(&p, NULL, &out, &err) < 0)
		return 1;
	return fwrite(out.buf, 1, out.used, f) != out.used || fclose(f) != 0;
}

int main(int argc, char **argv)
{
	static const char *const types[][2] = { { "samples", "count" },
						{ "cpu", "nanoseconds" } };
	struct arena arena = { 0 };
	uint32_t samples, stacks, depth;
	stack_id *ids;

	if (argc != 5 || profile_init(&p, &arena) < 0)
		return 2;
	samples = (uint32_t)atoi(argv[1]);
	stacks = (uint32_t)atoi(argv[2]);
	depth = (uint32_t)atoi(argv[3]);
	if (!stacks || depth > DEEPEST / 2)
		return 2;
	for (int i = 0; i < 2; i++) {
		struct value_type *t = VEC_PUSH(&p.types, &arena);

		t->type = strtab_add_text(p.strings, types[i][0]);
		t->unit = strtab_add_text(p.strings, types[i][1]);
	}
	p.header = (struct profile_header){
		.time_nanos = 1700000000000000000,
		.duration_nanos = (int64_t)samples * 62500,
		.period = 1000000,
		.period_type = p.types.at[1],
	};
	if (profile_keep_times(&p) < 0)
		return 1;
	add_functions();
	ids = add_stacks(stacks, depth);
	if (!ids)
		return 1;
	add_samples(samples, ids, stacks);
	return write_file(argv[4], &arena);
}
