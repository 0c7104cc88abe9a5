/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_RINGS_H
#define WICK_COLLECT_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/vec.h"
#include "collect/event.h"
#include "collect/ring.h"

struct error;

enum {
	/* Of each stack so much is copied where that is enough, and ... */
	STACK_SMALL = 16 * 1024,
	/* ... so much where it is not; a record has 64 KB at most. */
	STACK_LARGE = 65536 - 1024,
};

/*
 * One ring for each processor, and the events that write to them: for each
 * thread that is recorded and each processor one with small copies of the
 * stack and one with large copies, of which one is awake.
 */
struct rings {
	struct event_choice choice;
	struct arena arena;
	int *cpu;
	int *event; /* that owns the processor's ring; -1: none yet */
	struct ring *ring;
	unsigned count;
	/*
	 * The reader is woken late.  For when processors are sampled: one that
	 * works only between two samples is never seen, and its time is taken
	 * for that of the program it interrupted.
	 */
	bool patient;
	bool on_exec; /* events start when their thread calls exec */
	bool started;
	bool deep;
	VEC(int) small; /* all events */
	VEC(int) large;
};

/* Finds the processors.  Returns 0 or a negative errno with a sentence. */
int rings_init(struct rings *r, const struct event_choice *choice,
	       struct error *err);

/*
 * Records a thread and all it starts from now on; -1: every thread there is.
 * Returns 0, -ESRCH if there is no such thread, or another negative errno with
 * a sentence.
 */
int rings_add(struct rings *r, pid_t thread, struct error *err);

/* Starts and stops all events. */
void rings_start(struct rings *r);
void rings_stop(struct rings *r);

/* Copies large or small parts of stacks from now on. */
void rings_set_deep(struct rings *r, bool deep);

/* Samples that the kernel could not store, if it tells. */
uint64_t rings_lost(const struct rings *r);

void rings_close(struct rings *r);

#endif /* WICK_COLLECT_RINGS_H */
