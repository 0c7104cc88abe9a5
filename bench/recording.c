/* SPDX-License-Identifier: MIT */
/*
 * Measures recordings: bytes a sample, and how fast they are written and read.
 * The profile is made up, but shaped like one of a busy server: every sample is
 * kept apart, functions call a few others from fixed places, some far more
 * often than the rest, and the innermost address is nearly anywhere.
 *
 * usage: bench-recording [SAMPLES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/recording.h"
#include "format/recording_block.h"
#include "profile/profile.h"

enum {
	FUNCTIONS = 4000,
	CALLS = 6,   /* places in a function where it calls another */
	PLACES = 24, /* other places in it that are seen */
	DEPTH_MIN = 8,
	DEPTH_MAX = 48,
	ELSEWHERE = 8, /* a call out of so many does not go the usual way */
};

static uint64_t state = 88172645463325252;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * below >> 32);
}

/* Mostly 0; the smaller the likelier. */
static uint32_t draw_small(uint32_t below)
{
	uint32_t n = 0;

	while (n + 1 < below && !draw(ELSEWHERE))
		n++;
	return n;
}

static double now(void)
{
	struct timespec t;

	/* Not of the clock on the wall: others may use the machine. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

_Noreturn static void fail(const struct error *err)
{
	fprintf(stderr, "bench-recording: %s\n", err->text);
	exit(1);
}

static void add_type(struct profile *p, const char *type, const char *unit)
{
	struct value_type *t = VEC_PUSH(&p->types, p->arena);

	if (t)
		*t = (struct value_type){ strtab_add_text(p->strings, type),
					  strtab_add_text(p->strings, unit) };
}

static void add_functions(struct profile *p)
{
	char name[64];

	for (uint32_t i = 1; i <= FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "server::%s::step_%u(request&)",
			 i % 3 ? "parser" : "storage", i);
		profile_add_function(
			p, (struct function){
				   .id = i,
				   .name = strtab_add_text(p->strings, name),
				   .start_line = draw(3000),
			   });
	}
}

/* A new place in a function: at most once in memory, then found again. */
static location_id place(struct profile *p, location_id *known,
			 uint32_t function, uint32_t n)
{
	location_id *at = &known[function * (CALLS + PLACES) + n];
	struct line line = { .function = function + 1, .line = 100 + 3 * n };

	if (!*at)
		*at = profile_add_location(
			p,
			(struct location){ .id = p->locations.count,
					   .mapping = 1,
					   .address = 0x400000 +
						      function * 0x200 +
						      n * 13 },
			&line, 1);
	return *at;
}

static void add_samples(struct profile *p, uint32_t count)
{
	location_id *known = ARENA_ARRAY(p->arena, location_id,
					 FUNCTIONS * (CALLS + PLACES));

	for (uint32_t i = 0; i < count; i++) {
		frame_id path[DEPTH_MAX];
		uint32_t depth = DEPTH_MIN + draw(DEPTH_MAX - DEPTH_MIN);
		uint32_t function = draw_small(4);
		int64_t *values;

		for (uint32_t d = 0; d + 1 < depth; d++) {
			uint32_t call = draw_small(CALLS);

			path[d] = place(p, known, function, call);
			function = (function * CALLS + call + 1) % FUNCTIONS;
		}
		path[depth - 1] = place(p, known, function,
					CALLS + draw(PLACES));
		values = profile_add_sample(
			p, stack_add(&p->stacks, 0, path, depth), 0);
		values[0] = 1;
		values[1] = 10101010;
	}
}

static uint64_t raw_bytes(struct span file)
{
	struct scan s = { .file = file, .at = RECORDING_HEAD };
	struct block b;
	uint64_t raw = 0;

	while (scan_next(&s, &b) == SCAN_BLOCK)
		raw += b.head.raw;
	return raw;
}

static void read_again(struct span file, uint64_t raw)
{
	struct arena arena = { 0 };
	struct profile p;
	struct error err = { .text = "out of memory" };
	double start = now();
	double took;

	if (profile_init(&p, &arena) < 0 ||
	    format_recording.read(&p, file, &err) < 0)
		fail(&err);
	took = now() - start;
	printf(", read %.0f MB/s (%.1f M samples/s)\n",
	       (double)raw / took / 1e6, p.sample_count / took / 1e6);
	arena_release(&arena);
}

static void measure(const struct profile *p, int level)
{
	struct arena arena = { 0 };
	struct arena file = { 0 };
	struct sink out = sink_to_memory(&file);
	struct recording rec = { .arena = &arena, .out = &out, .level = level };
	struct error err = { 0 };
	double start = now();
	double took;
	uint64_t raw;

	if (recording_begin(&rec, &err) < 0 || recording_end(&rec, p, &err) < 0)
		fail(&err);
	took = now() - start;
	raw = raw_bytes(sink_bytes(&out));
	printf("level %d: %.2f bytes/sample (%.2f before zstd), "
	       "write %.0f MB/s (%.1f M samples/s), %.1f MB of memory",
	       level, (double)out.total / p->sample_count,
	       (double)raw / p->sample_count, (double)raw / took / 1e6,
	       p->sample_count / took / 1e6, (double)arena.mapped / 1e6);
	read_again(sink_bytes(&out), raw);
	arena_release(&file);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct profile p;
	uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000000;

	if (profile_init(&p, &arena) < 0)
		return 1;
	add_type(&p, "samples", "count");
	add_type(&p, "cpu", "nanoseconds");
	profile_add_mapping(&p, (struct mapping){ .id = 1, .limit = 1 << 30 });
	add_functions(&p);
	add_samples(&p, count);
	printf("%u samples, %u nodes of the stack tree, %u frames, %u places\n",
	       p.sample_count, p.stacks.nodes.count, p.stacks.frames.count,
	       p.locations.count);
	for (int level = 0; level <= 5; level++)
		measure(&p, level);
	arena_release(&arena);
	return 0;
}
