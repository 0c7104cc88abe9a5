/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_SUMMARY_H
#define WICK_COLLECT_SUMMARY_H

#include <stdint.h>

struct arena;
struct collect_options;
struct profile;
struct program;
struct recorder;
struct sink;

/*
 * Says on standard error what was recorded: how much, of whom, what is missing,
 * where most of it went, and how to look further.  The recording is closed; its
 * profile is changed.  p is the program that was run, if any.
 */
void summary_write(struct recorder *r, const struct program *p,
		   const struct collect_options *o);

/* Parts of it, for those who record in other ways. */
void summary_time(struct sink *out, struct arena *arena, uint64_t ns);
void summary_top(struct sink *out, struct profile *p);
void summary_written(struct sink *out, const char *path, uint64_t bytes);

#endif /* WICK_COLLECT_SUMMARY_H */
