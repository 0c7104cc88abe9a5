/* SPDX-License-Identifier: MIT */
/*
 * A server made of lib/http, for clients to try: usage: http-host ADDRESS.
 * Prints its URL, and serves until its standard input ends.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "http/exchange.h"
#include "http/head.h"
#include "http/route.h"
#include "http/server.h"
#include "http/target.h"

static bool done;
static unsigned cancelled;

static void serve_hello(void *context, struct http_exchange *x)
{
	(void)context;
	http_reply_text(x, 200, "hello");
}

static void serve_echo(void *context, struct http_exchange *x)
{
	(void)context;
	http_reply_span(x, 200, "application/octet-stream", x->body);
}

static void serve_large(void *context, struct http_exchange *x)
{
	(void)context;
	sink_repeat(&x->out, 'x', 16 << 20);
	http_reply(x, 200, "text/plain");
}

static void wake(struct http_exchange *x)
{
	http_reply_text(x, 200, "later");
}

static void cancel(struct http_exchange *x)
{
	(void)x;
	cancelled++;
}

/* Answers in a second. */
static void serve_later(void *context, struct http_exchange *x)
{
	(void)context;
	http_later(x, &(struct http_later){ .wake = wake,
					    .wake_at = http_now() + 1000,
					    .cancel = cancel });
}

static void next_piece(struct http_exchange *x)
{
	unsigned *left = x->later.context;

	sink_repeat(&x->out, 'y', 100000);
	if (!--*left)
		http_stream_end(x);
}

static void serve_stream(void *context, struct http_exchange *x)
{
	static unsigned left;

	(void)context;
	left = 20;
	http_stream(
		x, 200, "text/plain",
		&(struct http_later){ .wake = next_piece, .context = &left });
}

static void serve_stats(void *context, struct http_exchange *x)
{
	const struct http_server *s = context;

	http_reply_text(x, 200, "%u cancelled, %u connections", cancelled,
			http_server_connections(s));
}

static const struct http_route routes[] = {
	{ "/", HTTP_GET, serve_hello },
	{ "/hello", HTTP_GET, serve_hello },
	{ "/echo", HTTP_POST, serve_echo },
	{ "/large", HTTP_GET, serve_large },
	{ "/later", HTTP_GET, serve_later },
	{ "/stream", HTTP_GET, serve_stream },
	{ "/stats", HTTP_GET, serve_stats },
};

static void serve(void *context, struct http_exchange *x)
{
	http_route(routes, sizeof(routes) / sizeof(routes[0]), context, x);
}

static void end(void *context)
{
	(void)context;
	done = true;
}

int main(int argc, char **argv)
{
	static struct http_server s;
	struct http_options options = { .serve = serve,
					.context = &s,
					.body_max = 1 << 20 };
	struct error err = { 0 };
	char url[200];

	if (argc != 2 ||
	    http_address_parse(&options.address, argv[1], &err) < 0 ||
	    http_server_open(&s, &options, &err) < 0 ||
	    http_server_watch(&s, STDIN_FILENO, end, NULL) < 0) {
		fprintf(stderr, "http-host: %s\n", err.text);
		return 1;
	}
	http_address_url(&s.address, url, sizeof(url));
	printf("%s\n", url);
	fflush(stdout);
	while (!done)
		if (http_server_turn(&s, -1) < 0)
			return 1;
	http_server_close(&s);
	return 0;
}
