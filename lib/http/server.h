/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP/1.1 server for a command's page and for a profiled process: one
 * thread, non-blocking, no malloc, a fixed budget for each connection.
 *
 *	struct http_server s;
 *	http_server_open(&s, &options, &err);
 *	while (!stop)
 *		http_server_turn(&s, -1);
 *	http_server_close(&s);
 *
 * Who asks slowly, never, or too much is dropped by deadlines and limits and
 * costs the others nothing.  The server never raises SIGPIPE, starts no thread
 * and touches no signal.
 */
#ifndef WICK_HTTP_SERVER_H
#define WICK_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "http/address.h"
#include "http/guard.h"

struct connection;
struct error;
struct http_exchange;

enum { HTTP_WATCHES_MAX = 8 };

/* Milliseconds.  0: the usual one. */
struct http_patience {
	unsigned idle;	 /* between requests: 60 s */
	unsigned head;	 /* from a head's first byte to its last: 10 s */
	unsigned body;	 /* for a request's body: 30 s */
	unsigned answer; /* for each 256 KB of an answer: 30 s */
};

/* Everything that is pointed to outlives the server. */
struct http_options {
	struct http_address address;
	void (*serve)(void *context, struct http_exchange *x);
	void *context;
	const char *token;	  /* NULL: anybody who can connect may ask */
	const char *const *names; /* more names of this server; see guard.h */
	unsigned connections;	  /* at most; 0: 256 */
	size_t body_max;	  /* bytes of a request's body */
	size_t memory_max;	  /* bytes of an exchange; 0: 256 MB */
	struct http_patience patience;
};

/* A descriptor that somebody else wants to hear of. */
struct http_watch {
	int fd;
	void (*ready)(void *context);
	void *context;
};

/* One thread at a time.  All of it is the server's. */
struct http_server {
	struct http_options options;
	struct http_address address; /* what it is bound to */
	struct http_guard guard;
	int listener;
	int epoll;
	struct connection **connections;
	unsigned count; /* of places that have memory */
	unsigned watch_count;
	struct http_watch watches[HTTP_WATCHES_MAX];
	struct arena arena;
	uint64_t accept_at; /* no earlier; 0: whenever somebody comes */
	bool accepting;	    /* the listener is being waited for */
	bool again;	    /* there is more to do without waiting */
};

/*
 * Listens.  Returns 0 or a negative errno with a sentence.  An address that
 * others can reach is refused with -EACCES unless there is a token.
 */
int http_server_open(struct http_server *s, const struct http_options *options,
		     struct error *err);

/* Cancels what is promised, closes everything, removes a unix socket. */
void http_server_close(struct http_server *s);

/*
 * Closes this process's copies, and nothing else, without any call to handlers:
 * for the child of a fork, whose parent goes on serving.
 */
void http_server_forget(struct http_server *s);

/*
 * Does what there is to do, waiting for it up to wait milliseconds (-1: for as
 * long as it takes).  Returns 0, or a negative errno if the wait failed.
 */
int http_server_turn(struct http_server *s, int wait);

/*
 * Calls ready() whenever fd can be read, from http_server_turn().  The fd stays
 * the caller's, open until the server is closed.  Returns 0, -ENOSPC or another
 * negative errno.
 */
int http_server_watch(struct http_server *s, int fd,
		      void (*ready)(void *context), void *context);

/*
 * Serves a stream socket that somebody else has connected, which is the
 * server's from now on, also when it is refused.  trusted: not asked for host,
 * origin or token.  Returns 0 or a negative errno.
 */
int http_server_adopt(struct http_server *s, int fd, bool trusted);

/* How many connections there are. */
unsigned http_server_connections(const struct http_server *s);

#endif /* WICK_HTTP_SERVER_H */
