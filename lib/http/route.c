/* SPDX-License-Identifier: MIT */
/* See route.h. */
#include "http/route.h"

#include <stdbool.h>
#include <string.h>

#include "http/exchange.h"
#include "http/head.h"

static bool is_path(const struct http_head *h, const char *want)
{
	struct span path = span_of(h->path, h->path_len);
	size_t len = strlen(want);

	if (len && want[len - 1] == '*')
		return path.len >= len - 1 && !memcmp(path.at, want, len - 1);
	return span_equal(path, span_of(want, len));
}

static void refuse_method(struct http_exchange *x, unsigned methods)
{
	bool get = methods & HTTP_GET;
	bool post = methods & HTTP_POST;

	http_add_field(x, "Allow",
		       get && post ? "GET, HEAD, POST"
		       : get	   ? "GET, HEAD"
				   : "POST");
	http_reply_text(x, 405, "method not allowed");
}

void http_route(const struct http_route *routes, size_t count, void *context,
		struct http_exchange *x)
{
	for (size_t i = 0; i < count; i++) {
		unsigned methods = routes[i].methods;

		if (!is_path(x->head, routes[i].path))
			continue;
		if (methods & HTTP_GET)
			methods |= HTTP_HEAD;
		if (methods & (unsigned)x->head->method)
			routes[i].serve(context, x);
		else
			refuse_method(x, methods);
		return;
	}
	http_reply_text(x, 404, "404 page not found");
}
