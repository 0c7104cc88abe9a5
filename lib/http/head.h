/* SPDX-License-Identifier: MIT */
/*
 * The head of an HTTP/1.1 request: its first line and its fields, as a pure
 * function of the bytes that came.  Strict where being generous has been a hole
 * elsewhere: a line ends with CR LF, nothing is folded, lengths and hosts are
 * said once, paths have no dots to climb with.
 */
#ifndef WICK_HTTP_HEAD_H
#define WICK_HTTP_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum {
	HTTP_HEAD_MAX = 16 * 1024, /* bytes, the empty line included */
	HTTP_LINE_MAX = 8 * 1024,  /* bytes of the first line */
	HTTP_FIELDS_MAX = 64,
	HTTP_PATH_MAX = 1024, /* bytes of a path, decoded */
};

/* Bits, so that what is allowed somewhere is a set. */
enum http_method {
	HTTP_GET = 1,
	HTTP_HEAD = 2,
	HTTP_POST = 4,
	HTTP_OTHER = 8, /* well-formed, and nothing that is served here */
};

struct http_field {
	struct span name;
	struct span value; /* without space around it */
};

/* All spans are parts of what was parsed. */
struct http_head {
	enum http_method method;
	struct span target;	  /* as it was sent */
	struct span authority;	  /* what the client calls this server */
	struct span query;	  /* as it was sent, without the '?' */
	size_t path_len;	  /* 0: no path, such as OPTIONS * */
	char path[HTTP_PATH_MAX]; /* decoded, ends with NUL, starts with '/' */
	uint64_t body_len;
	bool keep_alive;
	bool expects_continue;
	bool version_0; /* HTTP/1.0: knows no chunks */
	unsigned field_count;
	struct http_field fields[HTTP_FIELDS_MAX];
};

/*
 * Parses what has come of a request so far.  Returns the length of the head,
 * or 0 if it is not all there, or the negated HTTP status that refuses it;
 * nothing of h but what was found until then counts after that.
 */
int http_head_parse(struct http_head *h, struct span in);

/* The value of the first field of that name, in any case; empty if none. */
struct span http_field(const struct http_head *h, const char *name);

/*
 * Whether the comma-separated list in value holds word, in any case, and with
 * whatever parameters behind a semicolon.
 */
bool http_list_holds(struct span value, const char *word);

/* Equal but for the case of ASCII letters. */
bool http_same(struct span a, struct span b);

#endif /* WICK_HTTP_HEAD_H */
