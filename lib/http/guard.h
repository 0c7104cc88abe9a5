/* SPDX-License-Identifier: MIT */
/*
 * Who may ask.  A server on loopback is within reach of every page that its
 * user's browser shows: by a name that is made to mean 127.0.0.1 (rebinding),
 * and by requests that a page sends across origins.  The guard lets in those
 * that address the server by its own name and come from its own pages or from
 * no page at all.
 */
#ifndef WICK_HTTP_GUARD_H
#define WICK_HTTP_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct http_head;

struct http_guard {
	uint16_t port;
	/* The address it is bound to, as in a URL: "10.1.2.3", "[fe80::1]". */
	char name[64];
	/* Names do not matter: no browser gets there, or a token is needed. */
	bool any_name;
	const char *const *more_names; /* ends with NULL; NULL: none */
	const char *token;	       /* NULL: none is needed */
};

/*
 * Returns 0 or the HTTP status that refuses the request: 421 wrong host, 403
 * another origin, 401 no token.  A token is taken from "Authorization: Bearer
 * TOKEN", from the parameter token=TOKEN, or from the path /t/TOKEN/..., and
 * then the path becomes what follows, so that a page's relative links work.
 */
int http_guard_check(const struct http_guard *g, struct http_head *h);

/* Compares without telling by its time how much of b was right. */
bool http_secret_equal(struct span a, struct span b);

#endif /* WICK_HTTP_GUARD_H */
