/* SPDX-License-Identifier: MIT */
/* See head.h: lines first, then what a few of the fields mean. */
#include "http/head.h"

#include <string.h>

#include "base/check.h"
#include "http/target.h"

static char lower(uint8_t c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

bool http_same(struct span a, struct span b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.at[i]) != lower(b.at[i]))
			return false;
	return true;
}

/* Characters of names: methods, fields. */
static bool is_token_char(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_token_char(s.at[i]))
			return false;
	return s.len > 0;
}

static struct span trim(struct span s)
{
	while (s.len && (s.at[0] == ' ' || s.at[0] == '\t'))
		s = span_part(s, 1, s.len - 1);
	while (s.len && (s.at[s.len - 1] == ' ' || s.at[s.len - 1] == '\t'))
		s.len--;
	return s;
}

/* Takes what stands before the first c from the front of s, and c with it. */
static struct span take_until(struct span *s, char c)
{
	const uint8_t *at = s->len ? memchr(s->at, c, s->len) : NULL;
	size_t len = at ? (size_t)(at - s->at) : s->len;
	struct span taken = span_part(*s, 0, len);

	len += at != NULL;
	*s = span_part(*s, len, s->len - len);
	return taken;
}

struct span http_field(const struct http_head *h, const char *name)
{
	for (unsigned i = 0; i < h->field_count; i++)
		if (http_same(h->fields[i].name, span_text(name)))
			return h->fields[i].value;
	return (struct span){ 0 };
}

bool http_list_holds(struct span value, const char *word)
{
	while (value.len) {
		struct span item = take_until(&value, ',');

		if (http_same(trim(take_until(&item, ';')), span_text(word)))
			return true;
	}
	return false;
}

static unsigned count_fields(const struct http_head *h, const char *name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < h->field_count; i++)
		count += http_same(h->fields[i].name, span_text(name));
	return count;
}

static enum http_method method_of(struct span name)
{
	static const struct {
		const char *name;
		enum http_method method;
	} methods[] = {
		{ "GET", HTTP_GET },
		{ "HEAD", HTTP_HEAD },
		{ "POST", HTTP_POST },
	};

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (span_equal(name, span_text(methods[i].name)))
			return methods[i].method;
	return HTTP_OTHER;
}

static int parse_version(struct http_head *h, struct span v)
{
	if (v.len != 8 || !span_starts(v, "HTTP/") || v.at[6] != '.' ||
	    v.at[5] < '0' || v.at[5] > '9' || v.at[7] < '0' || v.at[7] > '9')
		return -400;
	if (v.at[5] != '1')
		return -505;
	h->version_0 = v.at[7] == '0';
	return 0;
}

static int parse_first_line(struct http_head *h, struct span line)
{
	struct span method = take_until(&line, ' ');

	if (!is_token(method))
		return -400;
	h->method = method_of(method);
	h->target = take_until(&line, ' ');
	if (h->target.len > HTTP_LINE_MAX)
		return -414;
	return parse_version(h, line);
}

static bool is_value(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((s.at[i] < ' ' && s.at[i] != '\t') || s.at[i] == 0x7f)
			return false;
	return true;
}

static int parse_field(struct http_head *h, struct span line)
{
	const uint8_t *colon = memchr(line.at, ':', line.len);
	struct http_field f;

	if (!colon)
		return -400;
	f.name = take_until(&line, ':');
	f.value = trim(line);
	if (!is_token(f.name) || !is_value(f.value))
		return -400;
	if (h->field_count == HTTP_FIELDS_MAX)
		return -431;
	h->fields[h->field_count++] = f;
	return 0;
}

/* rest ends with the CR LF of its last line. */
static int parse_lines(struct http_head *h, struct span rest)
{
	for (bool first = true; rest.len; first = false) {
		struct span line = take_until(&rest, '\n');
		int r;

		ASSERT(line.len && line.at[line.len - 1] == '\r');
		line.len--;
		r = first ? parse_first_line(h, line) : parse_field(h, line);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse_length(struct http_head *h)
{
	struct span s = http_field(h, "content-length");
	unsigned count = count_fields(h, "content-length");

	/* A body of unknown length is nothing that is sent here; and two ways
	 * to tell its length are one too many. */
	if (count_fields(h, "transfer-encoding"))
		return count ? -400 : -411;
	if (!count)
		return 0;
	if (count > 1 || !s.len || s.len > 18)
		return -400;
	for (size_t i = 0; i < s.len; i++) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return -400;
		h->body_len = 10 * h->body_len + (s.at[i] - '0');
	}
	return 0;
}

static int interpret(struct http_head *h)
{
	struct span connection = http_field(h, "connection");
	struct span host = http_field(h, "host");
	int r;

	if (count_fields(h, "host") != 1)
		return -400;
	h->authority = host;
	h->keep_alive = h->version_0 ? http_list_holds(connection, "keep-alive")
				     : !http_list_holds(connection, "close");
	h->expects_continue = http_same(http_field(h, "expect"),
					span_text("100-continue"));
	r = http_target_parse(h);
	if (r < 0)
		return r;
	if (!http_same(h->authority, host))
		return -400;
	return parse_length(h);
}

/*
 * The length of the head, 0 if its end has not come.  What can be no head is
 * told at once: its sender would wait for us as long as we for it.
 */
static int find_end(struct span in)
{
	for (size_t i = 0; i < in.len; i++) {
		if (in.at[i] != '\n')
			continue;
		if (!i || in.at[i - 1] != '\r')
			return -400;
		if (i >= 3 && in.at[i - 2] == '\n')
			return (int)i + 1;
	}
	return 0;
}

static int refuse_long(struct span in)
{
	const uint8_t *eol = in.len ? memchr(in.at, '\n', in.len) : NULL;
	size_t line = eol ? (size_t)(eol - in.at) : in.len;

	if (line > HTTP_LINE_MAX)
		return -414;
	return in.len >= HTTP_HEAD_MAX ? -431 : 0;
}

/* Clients may send empty lines after a request's body. */
static size_t empty_lines(struct span in)
{
	size_t skipped = 0;

	while (skipped < 8 &&
	       span_starts(span_part(in, skipped, in.len - skipped), "\r\n"))
		skipped += 2;
	return skipped;
}

int http_head_parse(struct http_head *h, struct span in)
{
	size_t skipped = empty_lines(in);
	int end;
	int r;

	h->method = HTTP_OTHER;
	h->target = h->authority = h->query = (struct span){ 0 };
	h->path_len = 0;
	h->path[0] = '\0';
	h->body_len = 0;
	h->keep_alive = h->expects_continue = h->version_0 = false;
	h->field_count = 0;

	in = span_part(in, skipped, in.len - skipped);
	if (in.len && !is_token_char(in.at[0]) && in.at[0] != '\r')
		return -400;
	end = find_end(in);
	if (end < 0)
		return end;
	if (!end || end > HTTP_HEAD_MAX)
		return refuse_long(in);

	r = parse_lines(h, span_part(in, 0, (size_t)end - 2));
	if (r == 0)
		r = interpret(h);
	if (r < 0)
		h->keep_alive = false;
	return r < 0 ? r : (int)skipped + end;
}
