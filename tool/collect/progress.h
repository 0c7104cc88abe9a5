/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_PROGRESS_H
#define WICK_COLLECT_PROGRESS_H

struct recorder;

/* Shows on the terminal how far a recording is, in one line. */
void progress_show(const struct recorder *r);

/* Removes the line. */
void progress_clear(void);

#endif /* WICK_COLLECT_PROGRESS_H */
