/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_TOGGLE_H
#define WICK_AGENT_TOGGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/capture.h"
#include "agent/output.h"

/*
 * The profile that gperftools' conventions are about: of the whole process, to
 * a file, switched by environment, by a signal or by calls.
 */
struct toggle_options {
	struct capture_options capture;
	enum output_format format;
};

/* What the environment says about it (init.c). */
struct toggle_options toggle_environment(void);

/*
 * Starts it; it will go to path.  0, -EALREADY if it runs, or another negative
 * errno.
 */
int toggle_start(const char *path, const struct toggle_options *o);

/* Ends it and writes the file.  0, -ESRCH or another negative errno. */
int toggle_stop(void);

/* Whether it runs, since when (of the epoch, in seconds) and to what file. */
bool toggle_state(int64_t *since, char *path, size_t size);

/*
 * From now on each signal of that number starts a profile, to path.0, path.1
 * and so on, or ends it.  0, -EBUSY if somebody else has the signal, or
 * another negative errno.
 */
int toggle_on_signal(int signal, const char *path,
		     const struct toggle_options *o);

/* Does what signals have asked for; in the worker's thread. */
void toggle_serve(void);

/* In the child of a fork nothing runs. */
void toggle_forget(void);

#endif /* WICK_AGENT_TOGGLE_H */
