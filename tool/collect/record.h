/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_RECORD_H
#define WICK_COLLECT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

/*
 * What wick asks the kernel to put into each sample, so that every event has
 * the same layout; and what then stands at the end of all other records.
 */
#define RECORD_SAMPLE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

enum {
	RECORD_HEAD = 8,      /* bytes of a record's header */
	RECORD_MAX = 1 << 16, /* no record is longer: its size is 16 bits */
};

/* A file, or other memory, that a process mapped for execution. */
struct record_mapping {
	uint64_t lo;
	uint64_t len;
	uint64_t offset;
	uint32_t major;
	uint32_t minor;
	uint64_t inode; /* 0: not a file */
	bool executable;
	struct span name;
};

struct record_task {
	uint32_t parent;	/* process */
	uint32_t parent_thread; /* that forked */
};

struct record_sample {
	uint64_t ip;
	uint64_t period;
	struct span chain; /* words: addresses and PERF_CONTEXT_... */
	uint64_t abi;	   /* PERF_SAMPLE_REGS_ABI_...; 0: no registers */
	struct span regs;  /* words, as many as were asked for */
	struct span stack; /* what could be copied of it */
};

/* One record of the kernel's, taken apart; what it points to is borrowed. */
struct record {
	uint32_t type; /* PERF_RECORD_... */
	uint16_t misc;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint64_t time; /* CLOCK_MONOTONIC */
	union {
		struct record_mapping mapping; /* PERF_RECORD_MMAP2 */
		struct record_task task;       /* ..._FORK, ..._EXIT */
		struct record_sample sample;
		struct span name; /* ..._COMM */
		uint64_t lost;	  /* ..._LOST, ..._LOST_SAMPLES */
	};
};

/*
 * Takes the record at the front of bytes apart; its size is *ret_size.  Types
 * that are not listed above have the common members only.  False: there is no
 * whole record, or it makes no sense; then *ret_size is how much to pass over,
 * 0 if that is all there is.
 */
bool record_parse(struct span bytes, struct record *ret, size_t *ret_size);

/*
 * Takes out of the record at bytes what is unused of its copy of a stack, and
 * of the rest all but keep bytes.  Returns the record's new size; size bytes
 * are there.
 */
size_t record_shrink(uint8_t *bytes, size_t size, size_t keep);

/* The time of the record at the front of bytes; 0 if it has none. */
uint64_t record_time(struct span bytes);

static inline uint64_t span_word(struct span words, size_t i)
{
	uint64_t value = 0;

	if ((i + 1) * sizeof(value) <= words.len)
		memcpy(&value, words.at + i * sizeof(value), sizeof(value));
	return value;
}

#endif /* WICK_COLLECT_RECORD_H */
