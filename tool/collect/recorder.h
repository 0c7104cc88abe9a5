/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_RECORDER_H
#define WICK_COLLECT_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sink.h"
#include "base/vec.h"
#include "collect/batch.h"
#include "collect/binary.h"
#include "collect/callstack.h"
#include "collect/event.h"
#include "collect/intern.h"
#include "collect/task.h"
#include "collect/ticks.h"
#include "collect/timeline.h"
#include "format/recording.h"
#include "profile/profile.h"

struct error;
struct record;

/* What has happened so far, for those who watch. */
struct recorder_counts {
	uint64_t samples;
	uint64_t nanoseconds; /* that they stand for */
	uint64_t lost;	      /* said by the kernel in passing */
	uint64_t throttled;   /* times that it made a pause */
	uint64_t ends[UNWIND_REASONS];
	uint64_t inferred; /* stacks that are so in part */
	uint64_t recent;   /* samples since copies were last judged, and */
	uint64_t outgrown; /* those whose copy was too small */
};

struct stack_sum {
	uint64_t samples;
	uint64_t nanoseconds;
};

/*
 * From the kernel's records to a recording: unwinds samples as they come,
 * interns their stacks and writes them down every second, so that what is in
 * memory does not grow with the number of samples.
 */
struct recorder {
	struct event_choice choice;
	struct batches batches;
	struct binaries binaries;
	struct tasks tasks;
	struct timeline timeline;
	struct callstacks callstacks;
	struct callstack stack;
	struct interner interner;
	struct recorder_counts counts;

	struct arena arena;
	struct profile profile;
	VEC(struct stack_sum) sums; /* by stack, of all samples */
	struct ticks ticks;
	VEC(location_id) frames;
	struct recording recording;
	struct arena recording_arena;
	struct sink out;
	int fd; /* of the recording; -1: none */
	char buffer[1 << 16];
	uint64_t start; /* CLOCK_MONOTONIC */
};

/* Makes a zeroed one ready.  Returns 0 or a negative errno with a sentence. */
int recorder_init(struct recorder *r, const struct event_choice *choice,
		  struct error *err);

/*
 * Makes the file and writes its beginning, which cannot be empty then.  what
 * says what is recorded.
 */
int recorder_open(struct recorder *r, const char *path, const char *what,
		  struct error *err);

/* Uses the records that have come in. */
void recorder_work(struct recorder *r);

/* Uses all that is left, after the last record has come in. */
void recorder_finish(struct recorder *r);

/*
 * Writes down what is new.  Returns 0 or a negative errno with a sentence; the
 * file then holds what was written before.
 */
int recorder_flush(struct recorder *r, struct error *err);

/* Writes the rest, and closes the file. */
int recorder_close(struct recorder *r, struct error *err);

/* Bytes in the file. */
uint64_t recorder_bytes(const struct recorder *r);

void recorder_release(struct recorder *r);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t recorder_now(void);

#endif /* WICK_COLLECT_RECORDER_H */
