/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_CURL_H
#define WICK_PPROF_CURL_H

#include "base/span.h"

struct arena;
struct error;
struct http_request;
struct response;

/*
 * Makes one request, without following redirections, by running curl.  Returns
 * 0 with the answer and its body in arena, or a negative errno with err set;
 * -ENOENT if there is no curl.
 */
int curl_fetch(const struct http_request *request, struct arena *arena,
	       struct response *ret, struct span *ret_body, struct error *err);

#endif /* WICK_PPROF_CURL_H */
