/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_EDITOR_H
#define WICK_PPROF_EDITOR_H

#include <stdbool.h>

#include "base/vec.h"

struct arena;
struct editor;

/* What may stand at the cursor.  Texts belong to an arena. */
struct candidates {
	VEC(const char *) at;
	unsigned replaced; /* how many bytes before the cursor they replace */
};

/*
 * Finds what the line, which ends at the cursor, may go on with.  context is
 * the shell's.
 */
typedef void editor_complete(void *context, struct arena *arena,
			     const char *line, struct candidates *ret);

/*
 * Reads lines from the terminal with editing, completion and a history that
 * lasts; or, where standard input is none, as they come.
 */
struct editor *editor_open(const char *prompt, editor_complete *complete,
			   void *context);

/* Whether there is something to read already, be it the end of the input. */
bool editor_has_input(const struct editor *e);

/*
 * Returns the next line without its newline, valid until the next call, or
 * NULL at the end of the input.
 */
const char *editor_read(struct editor *e);

/* Saves the history.  Accepts NULL. */
void editor_close(struct editor *e);

#endif /* WICK_PPROF_EDITOR_H */
