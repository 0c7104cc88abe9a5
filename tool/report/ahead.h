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
struct view;

/*
 * Starts on a profile that stays as it is; its string table alone may grow.
 * What the view leaves out is not left out: entries are about everything.
 * NULL if it is too small to be worth it, or nothing can be started.
 */
struct ahead *ahead_start(const struct profile *p, const struct view *view);

/*
 * The entry of that key, if it is ready, or, with wait, if somebody is at it or
 * will be.  It is the caller's then, but must be released before ahead_stop().
 * NULL: there is none.  a may be NULL.
 */
struct memo_entry *ahead_take(struct ahead *a, uint64_t key, bool wait);

/* Waits a while for everything to be ready.  a may be NULL. */
void ahead_settle(struct ahead *a);

/* Ends it at once, and releases what nobody has taken.  a may be NULL. */
void ahead_stop(struct ahead *a);

#endif /* WICK_REPORT_AHEAD_H */
