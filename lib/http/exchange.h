/* SPDX-License-Identifier: MIT */
/*
 * A request and its answer: what a handler sees of the server.
 *
 *	static void serve(void *context, struct http_exchange *x)
 *	{
 *		sink_text(&x->out, "hello\n");
 *		http_reply(x, 200, "text/plain; charset=utf-8");
 *	}
 *
 * A handler answers, or says http_later() and answers when it can, from the
 * server's thread: in its wake(), in a watched descriptor's callback, or
 * between two turns of the server.
 */
#ifndef WICK_HTTP_EXCHANGE_H
#define WICK_HTTP_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/span.h"

struct arena;
struct http_head;
struct http_exchange;

/* For an answer that comes later.  Any of them may be NULL or 0. */
struct http_later {
	/* It is wake_at (as http_now() counts), or all that was streamed has
	 * been sent. */
	void (*wake)(struct http_exchange *x);
	uint64_t wake_at;
	/* The client is gone, or the server closes: x ends with this call. */
	void (*cancel)(struct http_exchange *x);
	void *context; /* the handler's own */
};

enum http_phase {
	HTTP_ASKED,
	HTTP_DELAYED,	/* http_later() */
	HTTP_ANSWERED,	/* http_reply() */
	HTTP_STREAMING, /* http_stream() */
};

/* Valid until its answer has been given or cancel() was called. */
struct http_exchange {
	const struct http_head *head;
	struct span body;    /* of the request */
	struct arena *arena; /* ends with the exchange; has a limit */
	struct sink out;     /* the body of the answer, in arena */
	struct http_later later;

	/* The rest is the server's. */
	enum http_phase phase;
	int status;
	const char *type;
	const char *policy;
	struct span answer;
	struct sink fields;
	bool last_piece;
};

/*
 * Answers with what is in x->out.  If memory ran out while it was written, the
 * answer becomes 500.  type outlives the exchange; NULL: no body has a type.
 */
void http_reply(struct http_exchange *x, int status, const char *type);

/* The same with bytes that stay as they are until the exchange has ended. */
void http_reply_span(struct http_exchange *x, int status, const char *type,
		     struct span bytes);

/* Answers with one line of text, in place of what is in x->out. */
void http_reply_text(struct http_exchange *x, int status, const char *format,
		     ...) __attribute__((format(printf, 3, 4)));

/* Sends the client to another path of this server. */
void http_redirect(struct http_exchange *x, int status, const char *path);

/* One more field of the answer; controls in value are made harmless. */
void http_add_field(struct http_exchange *x, const char *name,
		    const char *value);

/*
 * What a page may load and run, as a Content-Security-Policy; without it:
 * nothing.  policy outlives the exchange.
 */
void http_set_policy(struct http_exchange *x, const char *policy);

/* Promises an answer. */
void http_later(struct http_exchange *x, const struct http_later *later);

/*
 * Begins an answer of unknown length: the server sends what is written to
 * x->out as it can, and each time that all was sent calls later->wake(), which
 * writes more, or ends the stream.
 */
void http_stream(struct http_exchange *x, int status, const char *type,
		 const struct http_later *later);
void http_stream_end(struct http_exchange *x);

/* What an HTTP status is called. */
const char *http_status_text(int status);

/* Milliseconds of a clock that only moves forward. */
uint64_t http_now(void);

/*
 * Makes an exchange that no connection stands behind: for requests that come
 * by other ways.  The answer's body comes from arena, its fields from words;
 * the caller sees to what http_later() promises.
 */
void http_exchange_init(struct http_exchange *x, const struct http_head *head,
			struct span body, struct arena *arena,
			struct arena *words);

/*
 * Writes first line and fields of the answer.  length: of its body; UINT64_MAX:
 * it is not known, and comes in chunks (chunked) or until the end.
 */
void http_put_head(struct sink *out, const struct http_exchange *x,
		   uint64_t length, bool keep_alive);

#endif /* WICK_HTTP_EXCHANGE_H */
