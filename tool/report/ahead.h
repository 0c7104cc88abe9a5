/* SPDX-License-Identifier: MIT */
/*
 * Work that is done before anybody asks.  A prompt mostly waits for a person,
 * and reports on everything in a large profile (its whole call graph) take
 * longer to add up than people like to wait.  So another thread makes the
 * entries of the memo that those will need.
 */
#ifndef WICK_REPORT_AHEAD_H
#define WICK_REPORT_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

struct ahead;
struct memo_entry;
struct profile;
struct selections;
struct timespec;
struct view;

/*
 * Starts on what a view leaves of a profile that stays as it is; its string
 * table alone may grow.  Returns who is at it, until another is started or the
 * selections are released.  NULL if all is there, or it is too small to be
 * worth it, or nothing can be started.  nodes_first: somebody may ask before
 * all is ready, and more reports need what nodes spend than the whole graph.
 */
struct ahead *ahead_start(struct selections *s, const struct profile *p,
			  const struct view *view, bool nodes_first);

/* What it is about: what the view has left.  NULL if a is. */
const struct profile *ahead_profile(const struct ahead *a);

/*
 * The entry of that key, if it is ready or will be soon; with whole, if it will
 * be at all and have the whole graph.  It is the caller's then.  NULL: there is
 * none.  a may be NULL.
 */
struct memo_entry *ahead_take(struct ahead *a, uint64_t key, bool whole);

/* Waits for everything to be ready, but no longer than until then, by
 * CLOCK_MONOTONIC; returns whether it is.  a may be NULL. */
bool ahead_settle(struct ahead *a, const struct timespec *until);

/*
 * Lets who is at work rest, so that all processors are there for a report, or
 * go on.  Who waits for an entry gets it meanwhile, too.  What is ready is in
 * the memo then, where a report on a part of the profile finds what it has in
 * common with all: the nodes, and the order of their names.
 */
void ahead_hold(struct selections *s, bool hold);

/* Ends it at once, and releases what nobody has taken.  a may be NULL. */
void ahead_stop(struct ahead *a);

#endif /* WICK_REPORT_AHEAD_H */
