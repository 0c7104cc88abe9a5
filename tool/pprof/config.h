/* SPDX-License-Identifier: MIT */
/*
 * pprof's options: variables with names that flags, the shell's assignments
 * and the page's address all set.  The rows are in rows.inc.
 */
#ifndef WICK_PPROF_CONFIG_H
#define WICK_PPROF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "pprof/flag.h"
#include "report/view.h"

struct arena;
struct error;

/*
 * The options' values.  A plain struct: a copy is a configuration of its own.
 * Texts are borrowed from the command line or from the arena of config_set().
 */
struct config {
	struct view view; /* but for its sort_cum and granularity */
	const char *output;
	const char *sort;	 /* "flat" or "cum" */
	const char *granularity; /* "": the report's own */
	bool normalize;
};

/* One value that an option may have, when there are few. */
struct choice {
	const char *option;
	const char *name;
	const char *summary;
	const char *more;
};

struct option {
	const char *name;
	enum flag_kind kind;
	size_t offset; /* of its variable in struct config */
	const char *argument;
	const char *url; /* parameter of the page; NULL: none */
	bool saved;	 /* belongs to a named configuration of the page */
	const char *summary;
	const char *more; /* lines for the shell's help; may be "" */
};

/* All options and all choices, in the table's order. */
extern const struct option options[];
extern const unsigned option_count;
extern const struct choice choices[];
extern const unsigned choice_count;

/* NULL if there is none. */
const struct option *option_find(const char *name);
const struct choice *choice_find(const char *name);

/* pprof's defaults. */
void config_init(struct config *c);

/* The variable behind an option, of the type its kind says. */
void *config_variable(struct config *c, const struct option *o);

/* An option's value as text, as Go prints it. */
void config_get(const struct config *c, const struct option *o, char *text,
		size_t size);

/*
 * Sets the option or choice called name, as the shell does: an empty value
 * makes a boolean true; arena keeps a copy of a text.  Returns 0 or -EINVAL
 * with err set and c unchanged.
 */
int config_set(struct config *c, struct arena *arena, const char *name,
	       const char *value, struct error *err);

/* The question that these options ask. */
struct view config_view(const struct config *c);

#endif /* WICK_PPROF_CONFIG_H */
