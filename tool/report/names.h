/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_NAMES_H
#define WICK_REPORT_NAMES_H

#include <stdbool.h>

struct profile;

/* pprof's -symbolize=demangle=... */
enum name_mode {
	NAME_MODE_DEFAULT,   /* no parameters, no template arguments */
	NAME_MODE_TEMPLATES, /* no parameters */
	NAME_MODE_FULL,
	NAME_MODE_NONE, /* as they are in the profile */
};

/*
 * Gives the functions of a profile the names that pprof gives them.  The name
 * is made from the name that the linker knows, unless the profile has both and
 * they differ; with force, the former is taken whenever there is one.  A name
 * that is readable C++ already loses its parameters and template arguments
 * too, by its brackets.  Returns 0 or -ENOMEM, and then some names are done.
 */
int profile_demangle(struct profile *p, enum name_mode mode, bool force);

#endif /* WICK_REPORT_NAMES_H */
