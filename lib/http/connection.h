/* SPDX-License-Identifier: MIT */
/*
 * One connection of a server: a machine of states that goes as far as its
 * socket lets it, and never waits.  Internal to lib/http.
 */
#ifndef WICK_HTTP_CONNECTION_H
#define WICK_HTTP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/sink.h"
#include "http/exchange.h"
#include "http/head.h"

struct http_server;

enum connection_state {
	CONNECTION_READING,   /* a request's head, or nothing yet */
	CONNECTION_BODY,      /* its body */
	CONNECTION_HANDLING,  /* the handler has it */
	CONNECTION_WRITING,   /* an answer, or a piece of it */
	CONNECTION_LINGERING, /* refused; what still comes is thrown away */
};

/* A place for a connection; it is used again and again. */
struct connection {
	int fd; /* -1: free */
	enum connection_state state;
	/* What the kernel said last; reading and writing take it back. */
	bool readable;
	bool writable;
	bool hung_up;
	bool trusted;
	bool keep_alive;
	uint64_t deadline; /* UINT64_MAX: none */
	uint64_t since;	   /* when the wait for a request began */
	size_t in_used;
	size_t taken; /* bytes of in that are the request's */
	char *body;
	size_t body_used;
	struct arena words; /* first line and fields of the answer */
	struct arena arena; /* the exchange's */
	struct http_exchange x;
	/* What is being sent: start, then piece, then end. */
	struct sink start;
	size_t piece; /* bytes of the answer, or of x.out */
	const char *end;
	uint64_t sent;	   /* of all three together */
	uint64_t paid;	   /* of that, when time was last given */
	bool head_written; /* of a streamed answer */
	uint64_t thrown;   /* bytes thrown away */
	struct http_head head;
	char in[HTTP_HEAD_MAX];
};

/* Puts a socket in a free place. */
void connection_open(struct connection *c, const struct http_server *s, int fd);

/* Frees the place; the handler is told if it owes an answer. */
void connection_close(struct connection *c);

/* Does all that can be done now; the place may be free afterwards. */
void connection_run(struct connection *c, struct http_server *s, uint64_t now);

/* When connection_run() must be called again if nothing else happens. */
uint64_t connection_due(const struct connection *c);

/* Whether it may be closed in favour of another that comes at now. */
bool connection_is_spare(const struct connection *c, uint64_t now);

#endif /* WICK_HTTP_CONNECTION_H */
