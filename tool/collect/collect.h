/* SPDX-License-Identifier: MIT */
/* Recording from outside, with perf events. */
#ifndef WICK_COLLECT_COLLECT_H
#define WICK_COLLECT_COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;
struct pid_list;

/* Whom and how to record.  Exactly one of argv, pids and whole is set. */
struct collect_options {
	char **argv;	   /* a program to run; ends with NULL */
	const pid_t *pids; /* processes that run already */
	unsigned pid_count;
	/* Finds the processes again; those that are new join.  NULL: none do */
	int (*find)(struct pid_list *list, struct error *err);
	bool whole;	 /* the whole machine */
	const char *who; /* what pids or whole stand for, in words; or NULL */
	const char *output;
	unsigned hertz;
	uint64_t delay_ms;   /* after the target's start; 0: none */
	uint64_t seconds_ms; /* how long; 0: to the end */
	bool inside;	     /* by the agent, even if perf events work */
	bool no_symbols;     /* leave names for later */
	bool quiet;	     /* no summary, no progress */
};

struct collect_result {
	int status; /* of the program; 0 if there was none */
	bool interrupted;
};

/*
 * Records until the target ends, the time is over or a signal comes, finds
 * names and says on standard error what was recorded.  Returns 0, or a negative
 * errno with a sentence; the file then holds what could be written, if it was
 * begun at all; *ret_refused tells that there are no perf events for us.  The
 * process must have one thread; signals are handled meanwhile.
 */
int collect(const struct collect_options *o, struct collect_result *ret,
	    bool *ret_refused, struct error *err);

#endif /* WICK_COLLECT_COLLECT_H */
