/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_DEBUGINFOD_H
#define WICK_SYMBOLIZE_DEBUGINFOD_H

#include <stddef.h>

struct build_id;

/*
 * Asks the servers in $DEBUGINFOD_URLS for debug information and writes the
 * path of the local copy.  -ENOTSUP if that is not set, -ENOPKG if
 * libdebuginfod is not installed, -ENOENT if no server has it, or another
 * negative errno.  May take as long as $DEBUGINFOD_TIMEOUT says.
 */
int debuginfod_fetch(void *context, const struct build_id *id, char *path,
		     size_t size);

#endif /* WICK_SYMBOLIZE_DEBUGINFOD_H */
