/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_CONTEXT_H
#define WICK_REPORT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "profile/graph.h"
#include "profile/profile.h"
#include "report/matcher.h"
#include "report/view.h"

struct error;
struct report_memo;
struct report_request;
struct sink;
struct trimmed;
struct trim_options;

/* The unit in which the numbers of a label key are shown. */
struct key_unit {
	str_id key;
	str_id unit;
	bool given; /* by a sample, rather than guessed from the key */
};

struct value_label;

/*
 * A view applied to a profile: what a report is written from.  Everything is
 * in its arena, which lives as long as the report is being made.
 */
struct report_context {
	struct arena *arena;
	const struct report_request *request;
	struct view view;	  /* as the report adjusted it */
	struct profile profile;	  /* filtered; derived from the request's */
	struct report_memo *memo; /* of just that profile; or NULL */
	struct matcher argument;
	struct sample_value value;
	const char *type;	 /* "cpu", or "mean_cpu" */
	const char *sample_unit; /* of the values */
	const char *unit;	 /* to show them in; see choose_unit() */
	int64_t total;		 /* what percentages are of */
	VEC(struct key_unit) key_units;
	struct value_label *labels; /* see value_text() */
};

/*
 * Applies the request's view.  c is released with context_release() whatever
 * comes back.  Returns 0 or a negative errno with a sentence.
 */
int context_make(struct report_context *c, struct arena *arena,
		 const struct report_request *request, struct error *err);
void context_release(struct report_context *c);

/*
 * Makes a copy for another thread that writes part of the same report: what
 * value_text() remembers there is the copy's own, in arena.  It borrows all
 * else, and is not released.  Returns 0 or -ENOMEM.
 */
int context_copy(struct report_context *copy, const struct report_context *c,
		 struct arena *arena);

/* A remark for the person who asked, one line. */
void context_say(const struct report_context *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A value of the chosen type in the report's unit, divided as asked.  Large
 * reports have few different ones, so the last of them are remembered.
 */
const char *value_text(const struct report_context *c, int64_t value);

/* The same, made anew in arena: for who remembers texts of its own. */
const char *value_text_in(struct arena *arena, const struct report_context *c,
			  int64_t value);

/* The same, written with spaces before it, at least width characters. */
void put_value_right(struct sink *out, const struct report_context *c,
		     int64_t value, size_t width);

/* The same, but "." for nothing. */
const char *value_or_dot(const struct report_context *c, int64_t value);

/* The unit for numbers with this label key. */
const char *key_unit(const struct report_context *c, str_id key);

/* Which properties of a frame the granularity asks for. */
struct node_options context_node_options(const struct report_context *c,
					 const str_id *files);

/* The index of a sample type by number or name; see pprof's sample_index. */
int sample_index_find(const struct profile *p, const char *name,
		      uint32_t *ret_index, struct error *err);

#endif /* WICK_REPORT_CONTEXT_H */
