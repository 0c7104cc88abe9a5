/* SPDX-License-Identifier: MIT */
#ifndef WICK_TERM_WRAP_H
#define WICK_TERM_WRAP_H

struct sink;

struct wrap {
	unsigned
		column; /* where the first line begins, already written up to */
	unsigned indent; /* of the lines after it */
	unsigned width;	 /* the first column that must stay empty */
};

/*
 * Writes text and a newline, breaking lines between words, with one blank
 * between them; a word longer than a line stands alone.  A newline in text is
 * kept, and a line that begins with a blank is written as it is.
 */
void wrap_text(struct sink *out, const char *text, const struct wrap *w);

#endif /* WICK_TERM_WRAP_H */
