/* SPDX-License-Identifier: MIT */
/*
 * The reports of "wick report": the same numbers as pprof's, laid out for a
 * person at a terminal.  Their requests have a look.
 */
#ifndef WICK_REPORT_HUMAN_H
#define WICK_REPORT_HUMAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct report;
struct report_context;
struct sink;

extern const struct report report_human_top;
extern const struct report report_human_brief; /* its rows and no more */
extern const struct report report_human_tree;
extern const struct report report_summary;

/* What was recorded and of what: "cpu of server". */
void put_measured(struct sink *out, const struct report_context *c);

/* How much, how long and when: "1s in 5 samples, 10s long, 2023-11-14 ...". */
void put_extent(struct sink *out, const struct report_context *c);

/* All of that, and what is missing from it. */
void put_human_header(struct sink *out, const struct report_context *c);

/* A bar of at most width characters for part of whole. */
void put_bar(struct sink *out, int64_t part, int64_t whole, unsigned width);

/* text, cut to width characters with an ellipsis if it is longer. */
void put_cut(struct sink *out, struct span text, size_t width);

/* A function's name in width characters.  One that is longer loses its packages
 * and namespaces first, since what tells it apart is at its end. */
void put_function(struct sink *out, struct span name, size_t width,
		  struct arena *arena);

/* 12.3%, always five characters wide. */
void put_percent(struct sink *out, int64_t part, int64_t whole);

#endif /* WICK_REPORT_HUMAN_H */
