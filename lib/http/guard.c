/* SPDX-License-Identifier: MIT */
/* See guard.h. */
#include "http/guard.h"

#include <string.h>

#include "base/check.h"
#include "http/head.h"
#include "http/target.h"

enum { TOKEN_MAX = 256 };

bool http_secret_equal(struct span a, struct span b)
{
	unsigned differ = a.len != b.len;

	for (size_t i = 0; i < b.len; i++)
		differ |= (unsigned)(b.at[i] ^ (i < a.len ? a.at[i] : 0));
	return !differ;
}

/* Whether text is the port, as it stands behind a host: ":6060". */
static bool is_port(struct span text, uint16_t port)
{
	uint32_t value = 0;

	if (!text.len)
		return port == 80;
	if (text.at[0] != ':' || text.len < 2 || text.len > 6)
		return false;
	for (size_t i = 1; i < text.len; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
		value = 10 * value + (text.at[i] - '0');
	}
	return value == port;
}

static bool is_named(const struct http_guard *g, struct span host,
		     const char *name)
{
	size_t len = strlen(name);

	return len && host.len >= len &&
	       http_same(span_part(host, 0, len), span_text(name)) &&
	       is_port(span_part(host, len, host.len - len), g->port);
}

static bool host_allowed(const struct http_guard *g, struct span host)
{
	static const char *const loopback[] = { "127.0.0.1", "localhost",
						"[::1]", "localhost." };

	if (g->any_name)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(loopback); i++)
		if (is_named(g, host, loopback[i]))
			return true;
	for (size_t i = 0; g->more_names && g->more_names[i]; i++)
		if (is_named(g, host, g->more_names[i]))
			return true;
	return is_named(g, host, g->name);
}

/* Its own pages have the origin that the (checked) host makes. */
static bool origin_allowed(const struct http_head *h)
{
	static const char scheme[] = "http://";
	struct span origin = http_field(h, "origin");
	size_t len = sizeof(scheme) - 1;

	if (!origin.len)
		return true;
	return span_starts(origin, scheme) &&
	       http_same(span_part(origin, len, origin.len - len),
			 h->authority);
}

/*
 * Browsers say where a request comes from.  Following a link to a page is
 * harmless from anywhere; the rest is only for the server's own pages.
 */
static bool site_allowed(const struct http_head *h)
{
	struct span site = http_field(h, "sec-fetch-site");

	if (!site.len || http_same(site, span_text("none")) ||
	    http_same(site, span_text("same-origin")))
		return true;
	return h->method != HTTP_POST &&
	       http_same(http_field(h, "sec-fetch-mode"),
			 span_text("navigate")) &&
	       http_same(http_field(h, "sec-fetch-dest"),
			 span_text("document"));
}

static bool bearer_allowed(const struct http_head *h, struct span token)
{
	struct span value = http_field(h, "authorization");
	const size_t len = sizeof("Bearer ") - 1;

	return http_same(span_part(value, 0, len), span_text("Bearer ")) &&
	       http_secret_equal(token, span_part(value, len, value.len - len));
}

static bool param_allowed(const struct http_head *h, struct span token)
{
	char value[TOKEN_MAX];
	int len = http_param(h, "token", value, sizeof(value));

	return len > 0 && http_secret_equal(token, span_of(value, (size_t)len));
}

/* Takes /t/TOKEN from the front of the path, if it is there. */
static bool path_allowed(struct http_head *h, struct span token)
{
	struct span path = span_of(h->path, h->path_len);
	size_t end = 3 + token.len;

	if (!span_starts(path, "/t/") || path.len <= end ||
	    path.at[end] != '/' ||
	    !http_secret_equal(token, span_part(path, 3, token.len)))
		return false;
	h->path_len -= end;
	memmove(h->path, h->path + end, h->path_len + 1);
	return true;
}

int http_guard_check(const struct http_guard *g, struct http_head *h)
{
	struct span token = g->token ? span_text(g->token) : (struct span){ 0 };

	if (!host_allowed(g, h->authority))
		return 421;
	if (!origin_allowed(h) || !site_allowed(h))
		return 403;
	if (!token.len || path_allowed(h, token) || bearer_allowed(h, token) ||
	    param_allowed(h, token))
		return 0;
	return 401;
}
