/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_LABELS_H
#define WICK_AGENT_LABELS_H

/*
 * What the host says about its threads.  A thread's labels are in a block of
 * its own that handlers read; the block of a thread that has ended goes to the
 * next one that needs one.
 */

/* 0, -ENOSPC, -EINVAL for an empty key, or -ENOMEM. */
int labels_set(const char *key, const char *value);

/* key NULL: all of them. */
void labels_clear(const char *key);

/* See wick_mark(). */
int labels_mark(const char *phase);

#endif /* WICK_AGENT_LABELS_H */
