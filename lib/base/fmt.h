/* SPDX-License-Identifier: MIT */
/*
 * printf without stdio: the subset of its language that library code needs,
 * safe in a signal handler and inside malloc.  Understood: %s %.*s %c %d %i %u
 * %x %% with l, ll, z and j, the flags '-' and '0', and a width (a number or
 * '*').  No floating point.  Anything else is our mistake and traps.
 */
#ifndef WICK_BASE_FMT_H
#define WICK_BASE_FMT_H

#include <stdarg.h>
#include <stddef.h>

/* Receives the next len bytes of the formatted text. */
typedef void fmt_out(void *to, const char *text, size_t len);

/* Formats piece by piece into out. */
void fmt_stream(fmt_out *out, void *to, const char *format, va_list ap);

/*
 * Formats into buf, always terminated if size is not 0, cut if need be.
 * Returns the length of the whole text, cut or not.
 */
size_t fmt_va(char *buf, size_t size, const char *format, va_list ap);
size_t fmt_text(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* WICK_BASE_FMT_H */
