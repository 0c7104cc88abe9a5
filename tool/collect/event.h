/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_EVENT_H
#define WICK_COLLECT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

enum event_kind { EVENT_CYCLES, EVENT_CPU_CLOCK };

/* What is sampled: the best that this machine and this user permit. */
struct event_choice {
	enum event_kind kind;
	unsigned hertz;
	unsigned precise;     /* of cycles: how exact the address is, 0 to 2 */
	bool kernel;	      /* the kernel's time and frames are seen too */
	bool counts_lost;     /* the kernel can be asked how much was lost */
	int cycles_error;     /* why there are no cycles; 0: there are */
	uint64_t nanoseconds; /* between samples of a busy processor */
};

/* Whose samples an event takes. */
struct event_target {
	pid_t thread; /* -1: everybody's */
	int cpu;
	uint32_t stack; /* bytes of it to copy */
	uint32_t wake;	/* the reader is woken when so many bytes wait */
	bool inherit;	/* its children's and their threads' as well */
	bool on_exec;	/* starts when the thread calls exec */
	bool started;	/* at once */
};

/*
 * Tries events from the best on: cycles, then the processor's clock; with the
 * kernel's part, then without.  whole: of every process.  Returns 0 or a
 * negative errno with a sentence that says what would permit it.
 */
int event_choose(struct event_choice *c, unsigned hertz, bool whole,
		 struct error *err);

/*
 * Whether to sample processors instead of the threads that are of interest.
 * The clock of a thread is stopped and started whenever another one runs: it
 * rings late then, right after the switch, and never for threads that end
 * soon.  The clock of a processor has no such bias.
 */
bool event_by_processor(const struct event_choice *c, unsigned cpus);

/* Opens one; a descriptor or a negative errno. */
int event_open(const struct event_choice *c, const struct event_target *t);

/* "cycles" or "cpu-clock", with ":u" if the kernel's part is not seen. */
const char *event_name(const struct event_choice *c);

/* Sampled so often at most, by kernel.perf_event_max_sample_rate. */
unsigned event_max_rate(void);

#endif /* WICK_COLLECT_EVENT_H */
