/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_SOURCEFILE_H
#define WICK_SERVE_SOURCEFILE_H

#include "base/span.h"

struct arena;
struct error;

/* Larger files are no sources. */
enum { SOURCEFILE_MOST = 16 << 20 };

/*
 * Reads a source file for a page.  The name comes from a profile, which may be
 * a stranger's and name any file of this machine; so only regular files below
 * one of roots (folders with ':' between them; NULL: the current folder) are
 * read, over no symbolic link, and only what looks like text.  A relative name
 * is looked for in each root; of an absolute one, what follows the root's own
 * path, and then ever shorter ends of it, since sources are rarely where they
 * were compiled.  The text is in arena's memory.  Returns 0 or a negative errno
 * with a sentence.
 */
int sourcefile_read(struct span *ret, const char *roots, const char *name,
		    struct arena *arena, struct error *err);

#endif /* WICK_SERVE_SOURCEFILE_H */
