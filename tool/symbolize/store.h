/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_STORE_H
#define WICK_SYMBOLIZE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "symbol/file.h"

struct build_id;
struct error;
struct module;

/*
 * Writes the directory of cached indexes: $XDG_CACHE_HOME/wick, or
 * ~/.cache/wick.  False if neither is known.
 */
bool store_directory(char *path, size_t size);

/* Maps the cache file of a build id, if there is one. */
bool store_map(const struct build_id *id, struct mapped_file *ret);

/*
 * Writes the cache file of a module if enough of it is new.  Safe against
 * others who do the same: a file appears whole or not at all, and the last one
 * wins.  Afterwards old files go; see cachelimit.h.  Returns 0, also if nothing
 * was written, or a negative errno.
 */
int store_save(const struct module *m);

#endif /* WICK_SYMBOLIZE_STORE_H */
