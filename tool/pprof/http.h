/* SPDX-License-Identifier: MIT */
/*
 * A client for profiles and symbols: http by itself, https through the curl
 * command, which knows the machine's certificates and keeps a TLS library out
 * of wick.
 */
#ifndef WICK_PPROF_HTTP_H
#define WICK_PPROF_HTTP_H

#include <stdint.h>

#include "base/span.h"
#include "pprof/response.h"
#include "pprof/url.h"

struct arena;
struct error;
struct tls_files;

/* Bodies beyond this are refused. */
#define HTTP_LIMIT ((uint64_t)4 << 30)

struct http_request {
	struct url url;
	struct span post;	     /* what is posted; at NULL: a GET */
	int64_t deadline;	     /* clock_ms() at which to give up */
	uint64_t limit;		     /* of the body; at most HTTP_LIMIT */
	const struct tls_files *tls; /* borrowed; NULL: none */
};

/*
 * Makes the request, and those that redirections lead to, up to ten.  Returns
 * 0 with the answer, whatever its status, and its body in arena; or a negative
 * errno with err set.
 */
int http_fetch(const struct http_request *request, struct arena *arena,
	       struct response *ret, struct span *ret_body, struct error *err);

/* Says in err what a refusal says: "server response: 404 Not Found". */
int http_refused(const struct response *response, struct span body,
		 struct error *err);

#endif /* WICK_PPROF_HTTP_H */
