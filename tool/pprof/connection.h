/* SPDX-License-Identifier: MIT */
/*
 * A stream to a server, with a deadline on everything: clock_ms() at which to
 * give up with -ETIMEDOUT.
 */
#ifndef WICK_PPROF_CONNECTION_H
#define WICK_PPROF_CONNECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

struct error;
struct url;

/*
 * Connects to the host (IPv4 or IPv6) or the Unix socket of u, trying each
 * address of the host.  Returns a file descriptor, the caller's to close, or a
 * negative errno with err set.
 */
int connection_make(const struct url *u, int64_t deadline, struct error *err);

/* Sends all of it.  Returns 0 or a negative errno with err set. */
int connection_send(int fd, struct span bytes, int64_t deadline,
		    struct error *err);

/* Returns the number of bytes read, 0 at the end, or a negative errno. */
ssize_t connection_receive(int fd, void *buf, size_t size, int64_t deadline,
			   struct error *err);

#endif /* WICK_PPROF_CONNECTION_H */
