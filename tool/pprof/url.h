/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_URL_H
#define WICK_PPROF_URL_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct error;
struct sink;

/*
 * The address of something a server has.  Texts belong to the arena that
 * url_parse() was given; those that are not there are "".
 */
struct url {
	const char *scheme;   /* lower case: http, https, https+insecure, … */
	const char *userinfo; /* name:password, decoded */
	const char *host;     /* without the brackets of an IPv6 address */
	const char *port;     /* digits, or "" */
	const char *path;     /* encoded, begins with '/' or is "" */
	const char *query;    /* encoded, without '?' */
	const char *socket;   /* a Unix socket's path instead of a host */
};

/*
 * Takes text apart.  A fragment is dropped; what may not stand in a path is
 * encoded.  Besides the usual form:
 *
 *	unix:/run/app.sock		http+unix:///run/app.sock
 *	unix:/run/app.sock:/some/path	http+unix:///run/app.sock/some/path
 *	unix:/run/app.sock/some/path	http+unix://%2Frun%2Fapp.sock/some/path
 *
 * where, without a ':' or %2F, the path of the socket ends at the first file
 * on it that is one.  Returns 0, or a negative errno with err set: -EINVAL if
 * text is no address of this kind.
 */
int url_parse(struct url *u, struct arena *arena, const char *text,
	      struct error *err);

/* Whether text begins as an address of a Unix socket does. */
bool url_names_socket(const char *text);

/* Puts it together again; NULL when memory ran out. */
const char *url_text(const struct url *u, struct arena *arena);

/* The port, or the usual one of the scheme. */
const char *url_port(const struct url *u);

/*
 * Makes u the address that reference means on a page at base: a whole address,
 * or a path.  Returns 0 or a negative errno with err set.
 */
int url_resolve(struct url *u, struct arena *arena, const struct url *base,
		const char *reference, struct error *err);

/*
 * Undoes %XX, and '+' for a space if plus_is_space.  Returns NULL if an escape
 * is broken or memory ran out.
 */
const char *url_decode(struct arena *arena, const char *text, size_t len,
		       bool plus_is_space);

/* Writes %XX. */
void url_encode_byte(struct sink *out, unsigned char c);

#endif /* WICK_PPROF_URL_H */
