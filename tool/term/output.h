/* SPDX-License-Identifier: MIT */
#ifndef WICK_TERM_OUTPUT_H
#define WICK_TERM_OUTPUT_H

struct error;
struct sink;

enum output_use {
	OUTPUT_DATA,  /* for programs, or short: straight out */
	OUTPUT_PAGED, /* for people: through a pager if on a terminal */
};

/*
 * Standard output as a sink.  There is one; open it once, write, close it.
 * Ask for its palette and width after opening.
 */
struct sink *output_open(enum output_use use);

/*
 * Writes out what is left.  Returns 0, or a negative errno with err set.  A
 * reader that has gone away (head, a pager that was quit) is no failure.
 */
int output_close(struct error *err);

/*
 * The same after work that ended with r.  Returns r if that is an error, whose
 * sentence in err stays, and else what closing gives.
 */
int output_finish(int r, struct error *err);

#endif /* WICK_TERM_OUTPUT_H */
