/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_PROXY_H
#define WICK_PPROF_PROXY_H

#include <stdbool.h>

struct arena;
struct url;

/*
 * Whether http requests to u go through a proxy, and which: HTTP_PROXY, unless
 * u is this machine or NO_PROXY lists it, by the rules that Go programs follow.
 */
bool proxy_find(const struct url *u, struct arena *arena, struct url *ret);

/* The same with the variables' values given; NULL: not set. */
bool proxy_applies(const struct url *u, const char *no_proxy);

#endif /* WICK_PPROF_PROXY_H */
