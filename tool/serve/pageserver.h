/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_PAGESERVER_H
#define WICK_SERVE_PAGESERVER_H

#include <stdbool.h>

#include "base/span.h"
#include "http/server.h"

struct error;
struct profile;

/* A profile that is served; everything is borrowed. */
struct served_profile {
	const char *name; /* for people */
	const struct profile *profile;
	struct span columns; /* what columns_write() wrote */
	struct span places;  /* what places_write() wrote */
};

/*
 * The server behind "wick view" and "wick pprof -http": it answers for the page
 * and its data, and for nothing else.  Must not move while it is open.
 */
struct page_server {
	struct http_server http;
	const struct served_profile *profiles;
	unsigned count;
	const char *source_path; /* folders that sources are read from */
	char token[33];		 /* "": none is needed */
	char url[256];		 /* what to tell a browser */
	int signals;		 /* tells of those that end it */
	bool stopped;
};

struct page_server_options {
	const char *address; /* as http_address_parse() reads it */
	bool open_to_all;    /* no token, if only this machine can ask */
	const char *source_path;
	const struct served_profile *profiles;
	unsigned count;
};

/*
 * Listens, and from then on holds back SIGINT and SIGTERM, which end
 * page_server_run().  Returns 0 or a negative errno with a sentence.
 */
int page_server_open(struct page_server *s,
		     const struct page_server_options *options,
		     struct error *err);

/* Serves until SIGINT or SIGTERM.  Returns 0 or a negative errno. */
int page_server_run(struct page_server *s, struct error *err);

void page_server_close(struct page_server *s);

#endif /* WICK_SERVE_PAGESERVER_H */
