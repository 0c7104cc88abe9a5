/* SPDX-License-Identifier: MIT */
/*
 * A capture from within: from samples to a profile.  Owned by whoever began
 * it; between begin and end only the sampler touches it.
 */
#ifndef WICK_AGENT_INTAKE_H
#define WICK_AGENT_INTAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/capture.h"
#include "base/table.h"
#include "base/vec.h"

struct code;
struct code_file;

/* What one thread's time has come to so far, in this capture. */
struct account {
	uint32_t generation; /* of the slot that this is about */
	uint64_t debt;	     /* nanoseconds from before the beginning */
	uint64_t left;	     /* less than a period */
	uint32_t last;	     /* its last sample, plus 1; 0: none so far */
};

/* Code that samples met. */
struct capture_map {
	uint64_t lo;
	uint64_t hi;
	uint64_t offset;
	const struct code_file *file;
	mapping_id mapping;
};

/* The location of an address, as long as the code is the same. */
struct known_place {
	uint64_t pc;
	uint32_t generation; /* of the code; 0: none */
	location_id location;
};

enum { KNOWN_PLACES = 4096 };

struct capture {
	struct capture *next; /* of those that run */
	struct capture_options options;
	bool snapshot;	  /* one sample per thread, not time */
	char process[16]; /* its name, if samples are to say it */
	uint64_t period;
	uint64_t began;	    /* CLOCK_MONOTONIC */
	uint64_t ended;	    /* the same */
	int64_t began_real; /* since the epoch */
	uint64_t cpu_began; /* of the process */
	uint64_t cpu_agent; /* of that, the agent's own */
	uint64_t given;	    /* nanoseconds that samples stand for */
	uint64_t unsampled;
	uint64_t taken; /* samples */
	uint64_t lost;	/* at the beginning; how many at the end */
	enum capture_engine engine;

	struct arena arena;
	struct profile profile;
	struct table locations;
	struct table samples;
	VEC(struct capture_map) maps;
	struct account *accounts;  /* by slot of the thread */
	struct known_place *known; /* KNOWN_PLACES, by hash of the address */
};

/* One stack to be added. */
struct taken {
	const uint64_t *pcs; /* the innermost first */
	uint32_t count;
	bool cut; /* does not reach the thread's start */
	uint32_t thread;
	uint64_t nanos;	    /* that it stands for */
	const char *labels; /* key NUL value NUL ... */
	uint32_t label_bytes;
	uint32_t mark;
};

/* Makes an empty profile; 0 or -ENOMEM. */
int intake_begin(struct capture *c, const struct code *code);

/* Adds a sample, or what it comes to in steps of the capture's period. */
void intake_add(struct capture *c, const struct taken *t,
		const struct code *code);

/* Whether the thread of a slot has a sample that can be repeated. */
bool intake_knows(const struct capture *c, uint32_t thread);

/* More time of a thread that is still where it was. */
void intake_repeat(struct capture *c, uint32_t thread, uint64_t nanos);

/* Fills in what is known at the end: times, period, loss, comments. */
void intake_end(struct capture *c);

#endif /* WICK_AGENT_INTAKE_H */
