/* SPDX-License-Identifier: MIT */
#ifndef WICK_TERM_MESSAGE_H
#define WICK_TERM_MESSAGE_H

/*
 * Says something to the user: "wick: " and the text, as one line on standard
 * error.  For errors, warnings and what was chosen and why; results go to
 * standard output.  format is fmt.h's.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* WICK_TERM_MESSAGE_H */
