/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_SINK_H
#define WICK_BASE_SINK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;

/*
 * Receives the bytes that a sink hands on, in order, which are the sink's
 * again afterwards.  Returns 0 or a negative errno.
 */
typedef int sink_take(void *context, struct span bytes);

/*
 * Where bytes go: a file descriptor, a function, or memory.  Writes are
 * buffered and never fail on the spot; the first failure is kept in error (a
 * negative errno) and later writes are dropped, so a writer checks once, at its
 * end, what sink_flush() returns.  One thread at a time.
 */
struct sink {
	char *buf;
	size_t used;
	size_t size;
	uint64_t total; /* bytes accepted so far */
	int error;
	int fd;		 /* -1: a function, or memory */
	sink_take *take; /* NULL: the fd, or memory */
	void *context;
	struct arena *arena; /* where a memory sink grows */
};

/* Writes to fd through the caller's buffer; the fd stays the caller's. */
struct sink sink_to_fd(int fd, char *buf, size_t size);

/*
 * Hands on to a function what fills the caller's buffer, and what is larger
 * than that at once, uncopied.
 */
struct sink sink_to_function(sink_take *take, void *context, char *buf,
			     size_t size);

/* Collects in memory; the arena owns what is collected. */
struct sink sink_to_memory(struct arena *arena);

void sink_write(struct sink *s, const void *p, size_t len);
void sink_span(struct sink *s, struct span text);
void sink_text(struct sink *s, const char *text);
void sink_char(struct sink *s, char c);
void sink_repeat(struct sink *s, char c, size_t count);
void sink_uleb(struct sink *s, uint64_t value);

/* Text from outside for a terminal: what would move the cursor becomes '?'. */
void sink_clean(struct sink *s, struct span text);

/*
 * Room for len bytes, which of a sink with a buffer must not be more than it
 * holds, or NULL once a write has failed; sink_filled() says how many of them
 * were then written.
 */
char *sink_room(struct sink *s, size_t len);
void sink_filled(struct sink *s, size_t len);

/* Numbers, padded on the left with spaces to width characters. */
void sink_number(struct sink *s, int64_t value, size_t width);
void sink_unsigned(struct sink *s, uint64_t value, size_t width);

/* format is fmt.h's: no floating point. */
void sink_format(struct sink *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes all of the bytes, whatever the kernel takes at a time.  Returns 0 or a
 * negative errno.
 */
int fd_write(int fd, struct span bytes);

/* Hands everything on; returns 0 or the first error. */
int sink_flush(struct sink *s);

/* What a memory sink holds so far; valid until it grows. */
struct span sink_bytes(const struct sink *s);

#endif /* WICK_BASE_SINK_H */
