/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_BINARY_H
#define WICK_SYMBOLIZE_BINARY_H

struct error;

/*
 * Whether the file at path begins as a program or library does, of whatever
 * system; what is in the way is said in pprof's words.  Returns 0 or a negative
 * errno.
 */
int binary_check(const char *path, struct error *err);

#endif /* WICK_SYMBOLIZE_BINARY_H */
