/* SPDX-License-Identifier: MIT */
/* See target.h. */
#include "http/target.h"

#include <errno.h>
#include <string.h>

#include "http/head.h"

enum { NAME_MAX_LEN = 64 }; /* of parameters that are asked for */

static int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The byte that an escape at the front of s stands for, or -1. */
static int unescape(struct span s)
{
	int high = s.len > 2 ? hex_digit(s.at[1]) : -1;
	int low = s.len > 2 ? hex_digit(s.at[2]) : -1;

	return high < 0 || low < 0 ? -1 : high << 4 | low;
}

int http_decode(char *buf, size_t size, struct span text, bool plus)
{
	size_t used = 0;

	for (size_t i = 0; i < text.len; i++) {
		int c = text.at[i];

		if (c == '%') {
			c = unescape(span_part(text, i, text.len - i));
			i += 2;
		} else if (plus && c == '+') {
			c = ' ';
		}
		if (c <= 0 || used + 1 >= size)
			return -EINVAL;
		buf[used++] = (char)c;
	}
	if (!size)
		return -EINVAL;
	buf[used] = '\0';
	return (int)used;
}

bool http_pair_next(struct span *query, struct http_pair *ret)
{
	while (query->len) {
		const uint8_t *end = memchr(query->at, '&', query->len);
		size_t len = end ? (size_t)(end - query->at) : query->len;
		struct span pair = span_part(*query, 0, len);
		const uint8_t *equals;

		len += end != NULL;
		*query = span_part(*query, len, query->len - len);
		if (!pair.len)
			continue;
		equals = memchr(pair.at, '=', pair.len);
		len = equals ? (size_t)(equals - pair.at) : pair.len;
		ret->name = span_part(pair, 0, len);
		len += equals != NULL;
		ret->value = span_part(pair, len, pair.len - len);
		return true;
	}
	return false;
}

int http_param(const struct http_head *h, const char *name, char *buf,
	       size_t size)
{
	struct span query = h->query;
	struct http_pair pair;

	while (http_pair_next(&query, &pair)) {
		char found[NAME_MAX_LEN];

		if (http_decode(found, sizeof(found), pair.name, true) >= 0 &&
		    !strcmp(found, name))
			return http_decode(buf, size, pair.value, true);
	}
	return -ENOENT;
}

/* Escaped or not: a slash that was escaped is no separator, and is refused. */
static bool has_refused(struct span raw, struct span decoded)
{
	size_t slashes = 0;

	for (size_t i = 0; i < raw.len; i++)
		slashes += raw.at[i] == '/';
	for (size_t i = 0; i < decoded.len; i++) {
		uint8_t c = decoded.at[i];

		if (c < ' ' || c == 0x7f || c == '\\')
			return true;
		slashes -= c == '/';
	}
	return slashes != 0;
}

static bool climbs(struct span path)
{
	size_t start = 0;

	for (size_t i = 0; i <= path.len; i++) {
		size_t len = i - start;

		if (i < path.len && path.at[i] != '/')
			continue;
		if ((len == 1 && path.at[start] == '.') ||
		    (len == 2 && path.at[start] == '.' &&
		     path.at[start + 1] == '.'))
			return true;
		start = i + 1;
	}
	return false;
}

/* Of a URL with a host leaves the path, and notes the host. */
static struct span take_authority(struct http_head *h, struct span target)
{
	static const char scheme[] = "http://";
	size_t len = sizeof(scheme) - 1;
	size_t end = len;

	if (!http_same(span_part(target, 0, len), span_text(scheme)))
		return target;
	while (end < target.len && !strchr("/?", target.at[end]))
		end++;
	h->authority = span_part(target, len, end - len);
	target = span_part(target, end, target.len - end);
	return target.len ? target : span_text("/");
}

static bool is_plain(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] <= ' ' || s.at[i] >= 0x7f || s.at[i] == '#')
			return false;
	return s.len > 0;
}

int http_target_parse(struct http_head *h)
{
	struct span path;
	const uint8_t *mark;
	int len;

	if (!is_plain(h->target))
		return -400;
	path = take_authority(h, h->target);
	if (path.at[0] != '/')
		return h->method == HTTP_OTHER ? 0 : -400;

	mark = memchr(path.at, '?', path.len);
	if (mark) {
		size_t before = (size_t)(mark - path.at);

		h->query = span_part(path, before + 1, path.len - before - 1);
		path.len = before;
	}
	len = http_decode(h->path, sizeof(h->path), path, false);
	if (len < 0)
		return path.len >= sizeof(h->path) ? -414 : -400;
	if (has_refused(path, span_of(h->path, (size_t)len)) ||
	    climbs(span_of(h->path, (size_t)len)))
		return -400;
	h->path_len = (size_t)len;
	return 0;
}
