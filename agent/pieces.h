/* SPDX-License-Identifier: MIT */
/*
 * A recording for somebody outside: a profile of each second, one file each, so
 * that a program that is killed has left all but its last second.  Without
 * names, which whoever reads them finds; the program is not kept waiting.
 */
#ifndef WICK_AGENT_PIECES_H
#define WICK_AGENT_PIECES_H

#include <stdint.h>

struct capture_options;

/*
 * Begins.  The files are folder/PID.0, folder/PID.1 and so on, each there only
 * when it is whole.  0, -EALREADY if
 * that runs already, or another negative errno.
 */
int pieces_start(const char *folder, const struct capture_options *o);

/*
 * Writes the last piece; for the end of the program, or of a visit (visit.h).
 * Another start may follow.
 */
void pieces_stop(void);

/* Removes all pieces: nobody will read them. */
void pieces_remove(void);

/* In the worker's thread: writes a piece if it is time. */
void pieces_serve(void);

/* Nanoseconds until it is time; 0: there is nothing to wait for. */
uint64_t pieces_due(void);

/* In the child of a fork nothing runs. */
void pieces_forget(void);

#endif /* WICK_AGENT_PIECES_H */
