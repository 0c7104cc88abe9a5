/* SPDX-License-Identifier: MIT */
/* See exchange.h. */
#include "http/exchange.h"

#include <stdarg.h>
#include <time.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fmt.h"
#include "http/head.h"

#define NOTHING_ALLOWED \
	"default-src 'none'; base-uri 'none'; form-action 'none'; " \
	"frame-ancestors 'none'"

#define TEXT "text/plain; charset=utf-8"

uint64_t http_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

const char *http_status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{ 200, "OK" },
		{ 204, "No Content" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 304, "Not Modified" },
		{ 307, "Temporary Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 411, "Length Required" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 421, "Misdirected Request" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Unknown";
}

static void start_answer(struct http_exchange *x, int status, const char *type)
{
	ASSERT(x->phase == HTTP_ASKED || x->phase == HTTP_DELAYED);
	x->status = status;
	x->type = type;
}

void http_reply_span(struct http_exchange *x, int status, const char *type,
		     struct span bytes)
{
	start_answer(x, status, type);
	x->answer = bytes;
	x->phase = HTTP_ANSWERED;
}

/* out is given back first, so that there is room to say what happened. */
static void reply_no_memory(struct http_exchange *x)
{
	http_reply_span(x, 500, TEXT,
			span_text("out of memory: the answer is too large\n"));
}

void http_reply(struct http_exchange *x, int status, const char *type)
{
	if (sink_flush(&x->out) < 0)
		reply_no_memory(x);
	else
		http_reply_span(x, status, type, sink_bytes(&x->out));
}

static void put_piece(void *to, const char *text, size_t len)
{
	sink_write(to, text, len);
}

void http_reply_text(struct http_exchange *x, int status, const char *format,
		     ...)
{
	va_list ap;

	x->out.used = 0;
	va_start(ap, format);
	fmt_stream(put_piece, &x->out, format, ap);
	va_end(ap);
	sink_char(&x->out, '\n');
	http_reply(x, status, TEXT);
}

void http_redirect(struct http_exchange *x, int status, const char *path)
{
	http_add_field(x, "Location", path);
	http_reply_text(x, status, "see %s", path);
}

void http_add_field(struct http_exchange *x, const char *name,
		    const char *value)
{
	sink_format(&x->fields, "%s: ", name);
	sink_clean(&x->fields, span_text(value));
	sink_text(&x->fields, "\r\n");
}

void http_set_policy(struct http_exchange *x, const char *policy)
{
	x->policy = policy;
}

void http_later(struct http_exchange *x, const struct http_later *later)
{
	ASSERT(x->phase == HTTP_ASKED || x->phase == HTTP_DELAYED);
	x->later = *later;
	x->phase = HTTP_DELAYED;
}

void http_stream(struct http_exchange *x, int status, const char *type,
		 const struct http_later *later)
{
	start_answer(x, status, type);
	x->later = *later;
	x->phase = HTTP_STREAMING;
}

void http_stream_end(struct http_exchange *x)
{
	ASSERT(x->phase == HTTP_STREAMING);
	x->last_piece = true;
}

void http_exchange_init(struct http_exchange *x, const struct http_head *head,
			struct span body, struct arena *arena,
			struct arena *words)
{
	*x = (struct http_exchange){
		.head = head,
		.body = body,
		.arena = arena,
		.out = sink_to_memory(arena),
		.fields = sink_to_memory(words),
	};
}

static void put_length(struct sink *out, const struct http_exchange *x,
		       uint64_t length)
{
	if (length != UINT64_MAX)
		sink_format(out, "Content-Length: %llu\r\n",
			    (unsigned long long)length);
	else if (!x->head->version_0)
		sink_text(out, "Transfer-Encoding: chunked\r\n");
}

void http_put_head(struct sink *out, const struct http_exchange *x,
		   uint64_t length, bool keep_alive)
{
	sink_format(out, "HTTP/1.1 %d %s\r\n", x->status,
		    http_status_text(x->status));
	if (x->type)
		sink_format(out, "Content-Type: %s\r\n", x->type);
	put_length(out, x, length);
	sink_format(out, "Connection: %s\r\n",
		    keep_alive ? "keep-alive" : "close");
	sink_text(out, "Cache-Control: no-store\r\n"
		       "X-Content-Type-Options: nosniff\r\n"
		       "X-Frame-Options: DENY\r\n"
		       "Referrer-Policy: no-referrer\r\n"
		       "Cross-Origin-Opener-Policy: same-origin\r\n"
		       "Cross-Origin-Resource-Policy: same-origin\r\n");
	sink_format(out, "Content-Security-Policy: %s\r\n",
		    x->policy ? x->policy : NOTHING_ALLOWED);
	sink_span(out, sink_bytes(&x->fields));
	sink_text(out, "\r\n");
}
