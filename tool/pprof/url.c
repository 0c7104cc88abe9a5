/* SPDX-License-Identifier: MIT */
/*
 * Addresses of servers.  They come from a person or, in redirects, from a
 * stranger: no byte below a space ever gets into a request from here.
 */
#include "pprof/url.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"

#define URL_MAX 8192

/* The rest of the text that is being taken apart. */
struct text {
	struct arena *arena;
	const char *at;
	const char *end;
};

static const char *copy(struct arena *arena, const char *from, const char *to)
{
	const char *text = arena_text(arena, from, (size_t)(to - from));

	return text ? text : "";
}

/* What is before the first of these characters; it is skipped if there. */
static const char *take_until(struct text *t, const char *stops)
{
	const char *from = t->at;

	while (t->at < t->end && !strchr(stops, *t->at))
		t->at++;
	return copy(t->arena, from, t->at);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *url_decode(struct arena *arena, const char *text, size_t len,
		       bool plus_is_space)
{
	char *out = arena_text(arena, text, len);
	char *to = out;

	for (size_t i = 0; out && i < len; i++) {
		if (text[i] == '%') {
			if (i + 2 >= len || hex_value(text[i + 1]) < 0 ||
			    hex_value(text[i + 2]) < 0)
				return NULL;
			*to++ = (char)(hex_value(text[i + 1]) * 16 +
				       hex_value(text[i + 2]));
			i += 2;
		} else {
			*to++ = plus_is_space && text[i] == '+' ? ' ' : text[i];
		}
	}
	if (out)
		*to = '\0';
	return out;
}

void url_encode_byte(struct sink *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";

	sink_char(out, '%');
	sink_char(out, digits[c >> 4]);
	sink_char(out, digits[c & 15]);
}

static const char *sink_string(struct sink *out)
{
	sink_char(out, '\0');
	return out->error ? NULL : (const char *)sink_bytes(out).at;
}

/* Encodes what may not stand in a path; what is encoded already stays. */
static const char *clean_path(struct arena *arena, const char *path)
{
	struct sink out = sink_to_memory(arena);

	for (; *path; path++) {
		if (*path <= ' ' || *path >= 0x7f ||
		    strchr("\"<>\\^`{|}", *path))
			url_encode_byte(&out, (unsigned char)*path);
		else
			sink_char(&out, *path);
	}
	return sink_string(&out);
}

static int refuse(const char *text, struct error *err)
{
	return error_set(err, -EINVAL, "'%s' is not an address", text);
}

/* Scheme characters up to ':', in lower case; "" and nothing read if none. */
static const char *take_scheme(struct text *t)
{
	const char *from = t->at;
	const char *p = from;
	char *scheme;

	if (p == t->end || !isalpha((unsigned char)*p))
		return "";
	while (p < t->end && (isalnum((unsigned char)*p) || strchr("+-.", *p)))
		p++;
	if (p == t->end || *p != ':')
		return "";
	scheme = arena_text(t->arena, from, (size_t)(p - from));
	for (char *c = scheme; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	t->at = p + 1;
	return scheme ? scheme : "";
}

static bool valid_host(const char *host)
{
	if (!*host)
		return false;
	for (; *host; host++)
		if (*host <= ' ' || *host == 0x7f ||
		    strchr("\"<>\\^`{|}@/", *host))
			return false;
	return true;
}

static bool valid_port(const char *port)
{
	return strspn(port, "0123456789") == strlen(port) && strlen(port) <= 5;
}

/* [name:password@]host[:port], all of authority. */
static bool parse_authority(struct url *u, struct arena *arena,
			    const char *authority)
{
	const char *end = authority + strlen(authority);
	const char *at = strrchr(authority, '@');
	const char *host = at ? at + 1 : authority;
	const char *colon = strrchr(host, ':');
	const char *bracket = strchr(host, ']');

	if (at) {
		u->userinfo = url_decode(arena, authority,
					 (size_t)(at - authority), false);
		if (!u->userinfo)
			return false;
	}
	if (*host == '[') {
		if (!bracket || (bracket[1] && bracket[1] != ':'))
			return false;
		u->host = copy(arena, host + 1, bracket);
		colon = bracket[1] ? bracket + 1 : NULL;
	} else {
		u->host = copy(arena, host, colon ? colon : end);
	}
	u->port = colon ? colon + 1 : "";
	return valid_host(u->host) && valid_port(u->port);
}

bool url_names_socket(const char *text)
{
	return !strncmp(text, "unix:", 5) || !strncmp(text, "http+unix:", 10);
}

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* The end of the socket's path at the front of text; NULL: there is none. */
static const char *socket_end(struct arena *arena, const char *text)
{
	const char *colon = strstr(text, ":/");
	const char *slash = text;

	if (colon)
		return colon;
	do {
		slash = strchrnul(slash + 1, '/');
		if (is_socket(copy(arena, text, slash)))
			return slash;
	} while (*slash);
	return NULL;
}

/* text is what follows the scheme, without query. */
static int parse_socket(struct url *u, struct arena *arena, const char *text,
			struct error *err)
{
	const char *end;

	if (!strncmp(text, "//", 2))
		text += 2;
	u->host = "localhost";
	if (!strncasecmp(text, "%2f", 3)) {
		end = strchrnul(text, '/');
		u->socket = url_decode(arena, text, (size_t)(end - text),
				       false);
		if (!u->socket)
			return refuse(text, err);
	} else {
		end = socket_end(arena, text);
		if (!end)
			return error_set(err, -ENOENT,
					 "'%s' is not a socket, nor is any "
					 "part of it",
					 text);
		u->socket = copy(arena, text, end);
	}
	u->path = clean_path(arena, *end == ':' ? end + 1 : end);
	return u->path ? 0 : error_set(err, -ENOMEM, "out of memory");
}

static int parse_rest(struct url *u, struct text *t, const char *whole,
		      struct error *err)
{
	const char *authority;

	if (!*u->scheme || t->end - t->at < 2 || strncmp(t->at, "//", 2) != 0)
		return refuse(whole, err);
	t->at += 2;
	authority = take_until(t, "/");
	if (!parse_authority(u, t->arena, authority))
		return refuse(whole, err);
	u->path = clean_path(t->arena, copy(t->arena, t->at, t->end));
	return u->path ? 0 : error_set(err, -ENOMEM, "out of memory");
}

int url_parse(struct url *u, struct arena *arena, const char *text,
	      struct error *err)
{
	struct text t = {
		.arena = arena,
		.at = text,
		.end = text + strcspn(text, "?#"),
	};

	*u = (struct url){ .userinfo = "",
			   .host = "",
			   .port = "",
			   .path = "",
			   .query = "",
			   .socket = "" };
	if (strlen(text) > URL_MAX)
		return error_set(err, -EINVAL, "the address is too long");
	u->scheme = take_scheme(&t);
	if (*t.end == '?')
		u->query = clean_path(arena, copy(arena, t.end + 1,
						  t.end + strcspn(t.end, "#")));
	if (!u->query)
		return error_set(err, -ENOMEM, "out of memory");
	if (url_names_socket(text))
		return parse_socket(u, arena, copy(arena, t.at, t.end), err);
	return parse_rest(u, &t, text, err);
}

const char *url_port(const struct url *u)
{
	if (u->port[0])
		return u->port;
	return !strncmp(u->scheme, "https", 5) ? "443" : "80";
}

const char *url_text(const struct url *u, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	bool brackets = strchr(u->host, ':') != NULL;

	if (u->socket[0]) {
		sink_format(&out, "unix:%s%s%s", u->socket,
			    u->path[0] ? ":" : "", u->path);
	} else {
		/* A password is for the server, not for the screen. */
		sink_format(&out, "%s://%s%s%s%s%s%s", u->scheme,
			    brackets ? "[" : "", u->host, brackets ? "]" : "",
			    u->port[0] ? ":" : "", u->port, u->path);
	}
	if (u->query[0])
		sink_format(&out, "?%s", u->query);
	return sink_string(&out);
}

int url_resolve(struct url *u, struct arena *arena, const struct url *base,
		const char *reference, struct error *err)
{
	struct text t = { .arena = arena,
			  .at = reference,
			  .end = reference + strlen(reference) };
	size_t path_end = strcspn(reference, "?#");
	const char *folder_end = strrchr(base->path, '/');
	const char *query = reference + path_end;
	struct sink path = sink_to_memory(arena);

	if (*take_scheme(&t))
		return url_parse(u, arena, reference, err);
	if (!strncmp(reference, "//", 2))
		return refuse(reference, err);
	*u = *base;
	if (reference[0] != '/' && folder_end)
		sink_write(&path, base->path,
			   (size_t)(folder_end - base->path));
	if (reference[0] != '/')
		sink_char(&path, '/');
	sink_write(&path, reference, path_end);
	u->path = sink_string(&path);
	if (u->path)
		u->path = clean_path(arena, u->path);
	u->query = "";
	if (*query == '?')
		u->query = clean_path(arena, copy(arena, query + 1,
						  query + strcspn(query, "#")));
	return u->path && u->query ? 0
				   : error_set(err, -ENOMEM, "out of memory");
}
