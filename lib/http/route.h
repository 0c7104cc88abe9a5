/* SPDX-License-Identifier: MIT */
/* Which handler answers for which path. */
#ifndef WICK_HTTP_ROUTE_H
#define WICK_HTTP_ROUTE_H

#include <stddef.h>

struct http_exchange;

/* The methods are a set of http_method; who has GET has HEAD. */
struct http_route {
	const char *path; /* exactly; a '*' at its end is anything */
	unsigned methods;
	void (*serve)(void *context, struct http_exchange *x);
};

/*
 * Has the first route of that path answer; 404 if there is none, 405 if it
 * does not know the method.
 */
void http_route(const struct http_route *routes, size_t count, void *context,
		struct http_exchange *x);

#endif /* WICK_HTTP_ROUTE_H */
