/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_REGEX_SYNTAX_H
#define WICK_REPORT_REGEX_SYNTAX_H

#include "base/span.h"

struct error;
struct sink;

/*
 * Writes to out (which collects in memory) an expression for PCRE2 that means
 * what pattern means to Go.  It contains nothing that the user wrote but
 * letters, digits and numbers of characters, so that PCRE2's own syntax is out
 * of reach.  It is for the options of REGEX_OPTIONS in regex.c.  Returns 0,
 * -EINVAL with Go's words, or -ENOMEM.
 */
int regex_translate(struct span pattern, struct sink *out, struct error *err);

#endif /* WICK_REPORT_REGEX_SYNTAX_H */
