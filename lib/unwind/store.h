/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_STORE_H
#define WICK_UNWIND_STORE_H

#include "base/span.h"

struct arena;
struct elf;
struct error;
struct unwind_table;

/*
 * Tables kept on disk between runs, one file per object, named by its key (the
 * build id) under a folder that the caller chooses, $XDG_CACHE_HOME/wick as a
 * rule.  Any number of processes may use the folder at once: a file appears
 * whole or not at all, and one that is damaged, truncated or foreign reads as
 * absent.  Files are read into memory, never mapped, since a mapped file that
 * somebody truncates would kill the process.  Not for signal handlers.
 */

/*
 * Reads the table of an object into the arena.  Returns 0, -ENOENT if there is
 * none, -EBADMSG if what is there cannot be used, -ENOMEM, or another negative
 * errno.
 */
int unwind_store_load(const char *folder, struct span key, struct arena *arena,
		      struct unwind_table *t, struct error *err);

/*
 * Keeps an image under its own key, and makes the folder if its parent is
 * there.  Returns 0, -EINVAL if it has no key, or another negative errno; then
 * nothing is left behind.
 */
int unwind_store_save(const char *folder, struct span image, struct error *err);

/*
 * The table of an object: the kept one, or else a new one, which is then kept.
 * folder may be NULL: nothing is kept.  A folder that does not work is no
 * failure.  Returns what unwind_object() does.
 */
int unwind_store_get(const char *folder, const struct elf *elf,
		     const struct elf *debug, struct arena *arena,
		     struct unwind_table *t);

#endif /* WICK_UNWIND_STORE_H */
