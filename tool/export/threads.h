/* SPDX-License-Identifier: MIT */
#ifndef WICK_EXPORT_THREADS_H
#define WICK_EXPORT_THREADS_H

struct arena;
struct error;
struct profile;
struct view;

/*
 * Makes the view group samples by their threads, below what it groups by
 * already.  Profilers say in labels which thread a sample is of, each its own
 * way.  Returns 0, -ENODATA with a sentence if this profile does not say, or
 * -ENOMEM.
 */
int threads_as_roots(struct view *view, const struct profile *p,
		     struct arena *arena, struct error *err);

#endif /* WICK_EXPORT_THREADS_H */
