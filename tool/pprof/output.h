/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_OUTPUT_H
#define WICK_PPROF_OUTPUT_H

#include <stdbool.h>

struct config;
struct error;
struct profile;
struct selections;
struct verb;
struct viewers;

/* A report and where it goes.  Everything is borrowed. */
struct output {
	const struct profile *profile;
	const struct verb *verb;
	const char *argument; /* the verb's regular expression, or NULL */
	const struct config *config;
	struct viewers *viewers;
	struct selections *selections; /* of the profile; or NULL */
	bool interactive; /* the shell goes on while a viewer runs */
};

/*
 * Makes the report and prints it, writes it to a file or shows it in a viewer,
 * as the verb and the option "output" say.  Returns 0 or a negative errno with
 * err set; then nothing has been written to a file, and nothing printed but the
 * beginning of a report of many megabytes; see delivery.h.
 */
int output_make(const struct output *o, struct error *err);

#endif /* WICK_PPROF_OUTPUT_H */
