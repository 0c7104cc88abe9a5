/* SPDX-License-Identifier: MIT */
/* See response.h. */
#include "pprof/response.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"

void response_start(struct response_parser *p, struct sink *body,
		    uint64_t limit)
{
	/* Not by a compound literal: the line is large and need not be 0. */
	p->response = (struct response){ 0 };
	p->body = body;
	p->limit = limit;
	p->left = 0;
	p->body_bytes = 0;
	p->state = RESPONSE_STATUS;
	p->chunked = false;
	p->has_length = false;
	p->header_bytes = 0;
	p->line_len = 0;
}

static int malformed(struct error *err, const char *what)
{
	return error_set(err, -EBADMSG, "the server's answer has %s", what);
}

/* Keeps as much of value as fits. */
static void keep(char *to, size_t size, const char *value)
{
	size_t len = strnlen(value, size - 1);

	memcpy(to, value, len);
	to[len] = '\0';
}

/* "HTTP/1.1 200 OK", or "HTTP/2 200" as curl reports it. */
static int take_status(struct response_parser *p, struct error *err)
{
	const char *line = p->line;
	unsigned status = 0;

	if (strncmp(line, "HTTP/", 5) != 0 || line[5] < '1' || line[5] > '3')
		return error_set(err, -EBADMSG,
				 "the server does not speak HTTP");
	line += strcspn(line, " ");
	line += *line == ' ';
	for (int i = 0; i < 3; i++, line++) {
		if (*line < '0' || *line > '9')
			return malformed(err, "no status");
		status = status * 10 + (unsigned)(*line - '0');
	}
	if (status < 100 || (*line && *line != ' '))
		return malformed(err, "no status");

	p->response.status = status;
	keep(p->response.reason, sizeof(p->response.reason),
	     *line ? line + 1 : line);
	p->state = RESPONSE_HEADER;
	return 0;
}

static int take_length(struct response_parser *p, const char *value,
		       struct error *err)
{
	uint64_t length = 0;

	if (!*value)
		return malformed(err, "a length that is no number");
	for (; *value; value++) {
		if (*value < '0' || *value > '9')
			return malformed(err, "a length that is no number");
		if (__builtin_mul_overflow(length, 10, &length) ||
		    __builtin_add_overflow(length, *value - '0', &length))
			return malformed(err, "a length beyond reason");
	}
	if (p->has_length && p->left != length)
		return malformed(err, "two different lengths");
	p->has_length = true;
	p->left = length;
	return 0;
}

static int take_encoding(struct response_parser *p, const char *value,
			 struct error *err)
{
	if (!strcasecmp(value, "identity"))
		return 0;
	if (strcasecmp(value, "chunked") != 0 || p->chunked)
		return error_set(err, -ENOTSUP,
				 "the server's answer is encoded as '%s'",
				 value);
	p->chunked = true;
	return 0;
}

static int take_location(struct response_parser *p, const char *value,
			 struct error *err)
{
	(void)err;
	keep(p->response.location, sizeof(p->response.location), value);
	return 0;
}

static int take_type(struct response_parser *p, const char *value,
		     struct error *err)
{
	(void)err;
	keep(p->response.content_type, sizeof(p->response.content_type), value);
	return 0;
}

static int take_go_pprof(struct response_parser *p, const char *value,
			 struct error *err)
{
	(void)err;
	p->response.go_pprof = value[0] != '\0';
	return 0;
}

static const struct {
	const char *name;
	int (*take)(struct response_parser *, const char *, struct error *);
} headers[] = {
	{ "content-length", take_length },
	{ "content-type", take_type },
	{ "location", take_location },
	{ "transfer-encoding", take_encoding },
	{ "x-go-pprof", take_go_pprof },
};

static int take_header(struct response_parser *p, struct error *err)
{
	char *colon = strchr(p->line, ':');
	char *value;
	size_t len;

	if (!colon || colon == p->line || colon[-1] == ' ' ||
	    p->line[0] == ' ' || p->line[0] == '\t')
		return malformed(err, "a header that is none");
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	len = strlen(value);
	while (len && strchr(" \t", value[len - 1]))
		value[--len] = '\0';

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		if (!strcasecmp(p->line, headers[i].name))
			return headers[i].take(p, value, err);
	return 0;
}

/* What comes behind the empty line. */
static int end_headers(struct response_parser *p, struct error *err)
{
	unsigned status = p->response.status;

	if (status == 101)
		return malformed(err, "another protocol");
	if (status < 200) {
		uint32_t header_bytes = p->header_bytes;

		/* Only a hint; the answer itself follows.  The headers' limit
		 * goes on counting, or hints could follow for ever. */
		response_start(p, p->body, p->limit);
		p->header_bytes = header_bytes;
		return 0;
	}
	if (status == 204 || status == 304)
		p->state = RESPONSE_DONE;
	else if (p->chunked)
		p->state = RESPONSE_CHUNK_SIZE;
	else if (p->has_length)
		p->state = p->left ? RESPONSE_LENGTH : RESPONSE_DONE;
	else
		p->state = RESPONSE_CLOSE;
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int take_chunk_size(struct response_parser *p, struct error *err)
{
	const char *c = p->line;
	uint64_t size = 0;

	if (hex_value(*c) < 0)
		return malformed(err, "a chunk without size");
	for (; hex_value(*c) >= 0; c++) {
		if (size >> 60)
			return malformed(err, "a chunk beyond reason");
		size = size << 4 | (uint64_t)hex_value(*c);
	}
	if (c[strspn(c, " \t")] && c[strspn(c, " \t")] != ';')
		return malformed(err, "a chunk without size");

	p->left = size;
	p->state = size ? RESPONSE_CHUNK_DATA : RESPONSE_TRAILER;
	return 0;
}

static int take_chunk_end(struct response_parser *p, struct error *err)
{
	if (p->line[0])
		return malformed(err, "a chunk longer than its size");
	p->state = RESPONSE_CHUNK_SIZE;
	return 0;
}

/* p->line holds a whole line, ended with NUL. */
static int take_line(struct response_parser *p, struct error *err)
{
	switch (p->state) {
	case RESPONSE_STATUS:
		return take_status(p, err);
	case RESPONSE_HEADER:
		return p->line[0] ? take_header(p, err) : end_headers(p, err);
	case RESPONSE_CHUNK_SIZE:
		return take_chunk_size(p, err);
	case RESPONSE_CHUNK_END:
		return take_chunk_end(p, err);
	case RESPONSE_TRAILER:
		if (!p->line[0])
			p->state = RESPONSE_DONE;
		return 0;
	default:
		break;
	}
	ASSERT(false); /* there are no lines in a body */
	return -EINVAL;
}

static bool counts_as_header(enum response_state state)
{
	return state == RESPONSE_STATUS || state == RESPONSE_HEADER ||
	       state == RESPONSE_TRAILER;
}

/* Adds one byte to the line; a whole line is taken. */
static int feed_line(struct response_parser *p, uint8_t c, struct error *err)
{
	int r;

	if (counts_as_header(p->state) &&
	    ++p->header_bytes > RESPONSE_HEADERS_MAX)
		return malformed(err, "too many headers");
	if (c != '\n') {
		if (p->line_len == sizeof(p->line) - 1)
			return malformed(err, "a line that is too long");
		if (!c)
			return malformed(err, "zero bytes in its headers");
		p->line[p->line_len++] = (char)c;
		return 0;
	}
	if (p->line_len && p->line[p->line_len - 1] == '\r')
		p->line_len--;
	p->line[p->line_len] = '\0';
	r = take_line(p, err);
	p->line_len = 0;
	return r;
}

/* Takes as much of the body as there is; returns the number of bytes. */
static size_t feed_body(struct response_parser *p, struct span bytes)
{
	size_t len = bytes.len;

	if (p->state != RESPONSE_CLOSE && len > p->left)
		len = (size_t)p->left;
	sink_write(p->body, bytes.at, len);
	p->body_bytes += len;
	if (p->state == RESPONSE_CLOSE)
		return len;
	p->left -= len;
	if (!p->left)
		p->state = p->state == RESPONSE_LENGTH ? RESPONSE_DONE
						       : RESPONSE_CHUNK_END;
	return len;
}

static bool in_body(const struct response_parser *p)
{
	return p->state == RESPONSE_LENGTH || p->state == RESPONSE_CLOSE ||
	       p->state == RESPONSE_CHUNK_DATA;
}

int response_feed(struct response_parser *p, struct span bytes,
		  struct error *err)
{
	while (bytes.len && p->state != RESPONSE_DONE) {
		size_t taken = 1;

		if (in_body(p)) {
			taken = feed_body(p, bytes);
			if (p->body_bytes > p->limit)
				return error_set(err, -EFBIG,
						 "the server's answer is too "
						 "large");
			if (p->body->error)
				return error_set_errno(err, p->body->error,
						       "cannot keep the "
						       "server's answer");
		} else {
			int r = feed_line(p, bytes.at[0], err);

			if (r < 0)
				return r;
		}
		bytes = span_part(bytes, taken, bytes.len - taken);
	}
	return p->state == RESPONSE_DONE;
}

int response_end(struct response_parser *p, struct error *err)
{
	if (p->state == RESPONSE_CLOSE)
		p->state = RESPONSE_DONE;
	if (p->state == RESPONSE_DONE)
		return 1;
	if (p->state == RESPONSE_STATUS && !p->line_len)
		return error_set(err, -EBADMSG,
				 "the server closed the connection without "
				 "an answer");
	return error_set(err, -EBADMSG,
			 "the server closed the connection in the middle of "
			 "its answer");
}
