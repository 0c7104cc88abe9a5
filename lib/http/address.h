/* SPDX-License-Identifier: MIT */
/* Where a server listens. */
#ifndef WICK_HTTP_ADDRESS_H
#define WICK_HTTP_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct error;

struct http_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un path;
	} of;
	socklen_t len;
};

/*
 * Reads an address: HOST:PORT, :PORT, PORT, or unix:/PATH.  A host is a number
 * ("127.0.0.1", "[::1]") or localhost; without one it is 127.0.0.1, and only
 * this machine can ask.  Names are not looked up, which would need more of libc
 * than a guest may use.  Port 0 is any that is free.  Returns 0 or -EINVAL with
 * a sentence.
 */
int http_address_parse(struct http_address *a, const char *text,
		       struct error *err);

/* Only this machine can reach it. */
bool http_address_is_local(const struct http_address *a);

/* 0 for a unix socket. */
uint16_t http_address_port(const struct http_address *a);

/* The host as in a URL, "" for a unix socket. */
void http_address_host(const struct http_address *a, char *buf, size_t size);

/* How the server there is told to a person: a URL, or unix:PATH. */
void http_address_url(const struct http_address *a, char *buf, size_t size);

/*
 * A socket that listens there, non-blocking and closed by exec; a becomes what
 * it was bound to.  A unix socket is for its user alone, and takes the place of
 * one that nobody answers at.  Returns the socket or a negative errno with a
 * sentence.
 */
int http_listen(struct http_address *a, struct error *err);

#endif /* WICK_HTTP_ADDRESS_H */
