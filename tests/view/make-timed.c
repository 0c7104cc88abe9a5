/* SPDX-License-Identifier: MIT */
/*
 * Writes a recording with times, threads and labels whose every number is
 * known, for the page's tests: two workers that parse in their first second
 * and compress afterwards, and a main thread that waits.
 *
 * usage: make-timed FILE
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "format/format.h"
#include "profile/profile.h"

enum { SAMPLES = 3000, MILLISECOND = 1000000, THREADS = 3 };

static struct profile p;

static function_id add_function(const char *name, const char *file)
{
	uint32_t n = p.functions.count;
	str_id id = strtab_add_text(p.strings, name);

	return profile_add_function(
		&p, (struct function){ .id = n,
				       .name = id,
				       .system_name = id,
				       .file = strtab_add_text(p.strings, file),
				       .start_line = 10 * (int64_t)n - 3 });
}

/* A place; of two lines, the first one's function is inlined. */
static location_id add_place(const struct line *lines, uint32_t count,
			     mapping_id mapping)
{
	uint32_t n = p.locations.count;
	struct location l = { .id = n,
			      .address = 0x1000 * (uint64_t)n,
			      .mapping = mapping };

	return profile_add_location(&p, l, lines, count);
}

/* A function, and a place in it: its number times ten is the line. */
static location_id add(const char *name, const char *file, mapping_id mapping)
{
	struct line line = { .function = add_function(name, file) };

	line.line = 10 * (int64_t)line.function;
	return add_place(&line, 1, mapping);
}

/* A place one line below another, with a function inlined into it or not. */
static location_id add_below(location_id other, function_id inlined)
{
	const struct location *l = &p.locations.at[other];
	struct line lines[2] = { { .function = inlined,
				   .line = 10 * (int64_t)inlined },
				 location_lines(&p, l)[0] };

	lines[1].line++;
	return inlined ? add_place(lines, 2, l->mapping)
		       : add_place(lines + 1, 1, l->mapping);
}

/* It loads, runs, is in no phase, and loads once more. */
static const char *phase_of(int i)
{
	static const char *const phases[] = { "load", "load", "run",
					      "run",  NULL,   "load" };

	return phases[i / (SAMPLES / 6)];
}

static labels_id labels(int thread, int request, const char *phase)
{
	struct label l[4] = {
		{ .key = strtab_add_text(p.strings, "thread"),
		  .text = strtab_add_text(p.strings,
					  thread ? "worker" : "main") },
		{ .key = strtab_add_text(p.strings, "request"),
		  .text = strtab_add_text(p.strings,
					  request ? "/get" : "/put") },
		{ .key = strtab_add_text(p.strings, "tid"),
		  .number = 100 + thread,
		  .numeric = true },
		{ .key = strtab_add_text(p.strings, "phase"),
		  .text = strtab_add_text(p.strings, phase ? phase : "") },
	};

	return labels_add(&p.label_sets, l, phase ? 4 : 3);
}

static void add_type(struct arena *arena, const char *type, const char *unit)
{
	struct value_type *row = VEC_PUSH(&p.types, arena);

	row->type = strtab_add_text(p.strings, type);
	row->unit = strtab_add_text(p.strings, unit);
}

static void fill(void)
{
	mapping_id own = profile_add_mapping(
		&p, (struct mapping){
			    .id = 1,
			    .start = 0x1000,
			    .limit = 0x100000,
			    .file = strtab_add_text(p.strings, "/bin/server"),
			    .flags = MAPPING_HAS_FUNCTIONS });
	mapping_id libc = profile_add_mapping(
		&p, (struct mapping){ .id = 2,
				      .start = 0x200000,
				      .limit = 0x300000,
				      .file = strtab_add_text(p.strings,
							      "/lib/libc.so.6"),
				      .flags = MAPPING_HAS_FUNCTIONS });
	frame_id start = add("_start", "start.c", own);
	frame_id serve = add("serve", "serve.c", own);
	frame_id parse = add("parse", "parse.c", own);
	frame_id copy = add("memcpy", "memcpy.S", libc);
	frame_id pack = add("compress", "compress.c", own);
	frame_id wait = add("poll", "poll.c", libc);
	frame_id deeper = add_below(parse, 0);
	frame_id hashes = add_below(pack, add_function("hash", "hash.c"));
	const frame_id stacks[5][5] = {
		{ start, serve, wait },
		{ start, serve, parse, deeper, copy },
		{ start, serve, pack, copy },
		{ start, serve, deeper, parse, copy },
		{ start, serve, hashes, copy },
	};
	const uint32_t depth[5] = { 3, 5, 4, 5, 4 };

	for (int i = 0; i < SAMPLES; i++) {
		int thread = i % THREADS;
		int early = i < SAMPLES / 3 ? 1 : 2;
		int what = !thread ? 0 : early + (i % 5 ? 0 : 2);
		int64_t *v = profile_add_sample(
			&p,
			stack_add(&p.stacks, 0, stacks[what],
				  depth[what] - (i % 2 && thread)),
			labels(thread, i % 4 == 0, phase_of(i)));

		v[0] = 1;
		v[1] = MILLISECOND;
		p.time[i] = (int64_t)i * MILLISECOND;
	}
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct error err = { .text = "no memory" };
	struct sink out = sink_to_memory(&arena);
	FILE *f;

	if (argc != 2 || profile_init(&p, &arena) < 0)
		return 2;
	add_type(&arena, "samples", "count");
	add_type(&arena, "cpu", "nanoseconds");
	p.header.time_nanos = 1700000000000000000;
	p.header.duration_nanos = (int64_t)SAMPLES * MILLISECOND;
	p.header.period = MILLISECOND;
	p.header.period_type = p.types.at[1];
	p.loss.count[LOSS_SAMPLES] = 7;
	p.loss.count[LOSS_STACKS] = 2;
	if (profile_keep_times(&p) < 0)
		return 2;
	fill();
	f = fopen(argv[1], "wb");
	if (!f || format_find("wick")->write(&p, NULL, &out, &err) < 0 ||
	    fwrite(out.buf, 1, out.used, f) != out.used || fclose(f) != 0) {
		fprintf(stderr, "make-timed: %s\n", err.text);
		return 1;
	}
	return 0;
}
