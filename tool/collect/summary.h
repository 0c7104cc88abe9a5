/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SUMMARY_H
#define WICK_COLLECT_SUMMARY_H

#include <stdint.h>

struct collect_options;
struct pieces;
struct program;
struct recorder;

/*
 * Says on standard error what was recorded: how much, of whom, what is missing,
 * where most of it went, and how to look further.  The recording is closed; its
 * profile is changed.  p is the program that was run, if any.
 */
void summary_write(struct recorder *r, const struct program *p,
		   const struct collect_options *o);

/* The same of a recording from inside; bytes: of its file. */
void summary_of_visit(struct pieces *p, uint64_t bytes,
		      const struct collect_options *o);

#endif /* WICK_COLLECT_SUMMARY_H */
