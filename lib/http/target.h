/* SPDX-License-Identifier: MIT */
/* What is asked for: the path and the query of a request. */
#ifndef WICK_HTTP_TARGET_H
#define WICK_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

struct http_head;

/*
 * Sets path, query and, if the target names one, authority of h by its target.
 * Returns 0 or -400: for what is no path, for escapes of nothing, for escaped
 * slashes, backslashes and controls, and for '.' and '..', which no client
 * sends that means well.
 */
int http_target_parse(struct http_head *h);

/*
 * Writes text without its %-escapes to buf, ended with NUL; plus: a '+' is a
 * space.  Returns the length, or -EINVAL for a broken escape, for NUL, or if
 * size is not enough.
 */
int http_decode(char *buf, size_t size, struct span text, bool plus);

/* One name=value of a query, as it was sent. */
struct http_pair {
	struct span name;
	struct span value;
};

/* Takes the next pair from the front of query; false after the last. */
bool http_pair_next(struct span *query, struct http_pair *ret);

/*
 * Writes the decoded value of the first parameter of that name to buf, ended
 * with NUL.  Returns its length, -ENOENT if there is none, or -EINVAL as
 * http_decode() does.
 */
int http_param(const struct http_head *h, const char *name, char *buf,
	       size_t size);

#endif /* WICK_HTTP_TARGET_H */
