/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_ERROR_H
#define WICK_BASE_ERROR_H

#include <stdarg.h>

/*
 * What went wrong, for a person: the negative errno that the function also
 * returned, and a sentence.  Lower case, names in quotes, no full stop, no
 * newline; the command prints "wick: " before it.
 */
struct error {
	int code;
	char text[500];
};

/*
 * Fills err (NULL: nobody wants to know) and returns code, so that a failure
 * is one statement.  format is fmt.h's.
 */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set(), with the arguments in a list. */
int error_set_va(struct error *err, int code, const char *format, va_list ap);

/* As error_set(), with ": " and the description of -code added. */
int error_set_errno(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set_errno(), with the description as Go words it: in lower case. */
int error_set_reason(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the sentence that is there. */
void error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* WICK_BASE_ERROR_H */
