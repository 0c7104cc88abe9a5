/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes a connection as a whole: bytes in pieces of any size, to a server
 * whose handlers answer at once, later, in a stream, or never.  Whatever was
 * sent, what comes back are answers, and when the client has gone nothing of it
 * is left.
 */
#include "fuzz.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/route.h"
#include "http/server.h"

static unsigned promised; /* answers that are owed */

static void serve_hello(void *context, struct http_exchange *x)
{
	(void)context;
	http_reply_text(x, 200, "hello");
}

static void serve_echo(void *context, struct http_exchange *x)
{
	(void)context;
	sink_span(&x->out, x->body);
	http_reply(x, 200, "text/plain");
}

static void wake(struct http_exchange *x)
{
	promised--;
	http_reply_text(x, 200, "later");
}

static void cancel(struct http_exchange *x)
{
	(void)x;
	promised--;
}

static void serve_later(void *context, struct http_exchange *x)
{
	(void)context;
	promised++;
	http_later(x, &(struct http_later){ .wake = wake,
					    .wake_at = http_now(),
					    .cancel = cancel });
}

static void serve_never(void *context, struct http_exchange *x)
{
	(void)context;
	promised++;
	http_later(x, &(struct http_later){ .cancel = cancel });
}

static void next_piece(struct http_exchange *x)
{
	sink_text(&x->out, "piece\n");
	if (x->out.total > 20)
		http_stream_end(x);
}

static void serve_stream(void *context, struct http_exchange *x)
{
	(void)context;
	http_stream(x, 200, "text/plain",
		    &(struct http_later){ .wake = next_piece });
}

static const struct http_route routes[] = {
	{ "/h", HTTP_GET | HTTP_POST, serve_hello },
	{ "/e", HTTP_GET | HTTP_POST, serve_echo },
	{ "/l", HTTP_GET, serve_later },
	{ "/n", HTTP_GET, serve_never },
	{ "/s", HTTP_GET, serve_stream },
};

static void serve(void *context, struct http_exchange *x)
{
	http_route(routes, ARRAY_SIZE(routes), context, x);
}

static void start(struct http_server *s)
{
	struct http_options options = { .serve = serve, .body_max = 100 };

	ASSERT(http_address_parse(&options.address, "127.0.0.1:0", NULL) == 0);
	ASSERT(http_server_open(s, &options, NULL) == 0);
}

/* What came back so far begins as an answer does. */
static void take_answers(int fd, bool *first)
{
	char got[4096];
	ssize_t n;

	while ((n = recv(fd, got, sizeof(got), MSG_DONTWAIT)) > 0) {
		ASSERT(!*first || n < 9 || !memcmp(got, "HTTP/1.1 ", 9));
		*first = false;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http_server s;
	size_t step = size ? 1 + data[0] : 1;
	bool first = true;
	int pair[2];

	if (!s.connections)
		start(&s);
	ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	ASSERT(http_server_adopt(&s, pair[1], true) == 0);
	for (size_t at = 1; at < size; at += step) {
		size_t len = size - at < step ? size - at : step;

		(void)send(pair[0], data + at, len,
			   MSG_DONTWAIT | MSG_NOSIGNAL); /* may be closed */
		(void)http_server_turn(&s, 0);
		take_answers(pair[0], &first);
	}
	close(pair[0]);
	for (int i = 0; i < 2000 && http_server_connections(&s); i++)
		(void)http_server_turn(&s, 0);
	ASSERT(http_server_connections(&s) == 0 && promised == 0);
	return 0;
}
