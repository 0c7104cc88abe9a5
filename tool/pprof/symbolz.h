/* SPDX-License-Identifier: MIT */
/*
 * Names from the server that a profile came from: addresses are posted to its
 * "symbol" (or "symbolz") page, which answers with a line for each.
 */
#ifndef WICK_PPROF_SYMBOLZ_H
#define WICK_PPROF_SYMBOLZ_H

#include <stdbool.h>

#include "base/span.h"

struct arena;
struct error;
struct origins;
struct profile;
struct tls_files;
struct url;

/* Where the server at the address of a profile names addresses. */
int symbolz_address(const struct url *profile, struct arena *arena,
		    struct url *ret);

/*
 * Gives names to the locations without any, mapping by mapping; mappings that
 * have names are left alone unless force.  A server that refuses is a failure,
 * as it is for pprof.  Returns 0 or a negative errno.
 */
int symbolz_apply(struct profile *p, bool force, const struct origins *origins,
		  const struct tls_files *tls, struct error *err);

/*
 * Puts the answer's names on the locations of mapping m, whose addresses in
 * the server are greater by offset.  Lines that are none are skipped.  Returns
 * 0 or -ENOMEM.
 */
int symbolz_take(struct profile *p, uint32_t m, int64_t offset,
		 struct span answer);

#endif /* WICK_PPROF_SYMBOLZ_H */
