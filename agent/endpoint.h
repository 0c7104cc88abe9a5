/* SPDX-License-Identifier: MIT */
/*
 * The agent's HTTP endpoint: one for a process, in threads of the agent's own,
 * one that serves and one that renders, so that a profile being written keeps
 * nobody waiting.
 */
#ifndef WICK_AGENT_ENDPOINT_H
#define WICK_AGENT_ENDPOINT_H

#include <stddef.h>

/*
 * Starts it at an address (see http/address.h); token may be NULL where only
 * this machine can ask.  Both are copied.  Returns when it listens: 0,
 * -EALREADY if it runs, -EINVAL for what is no address, -EACCES if a token is
 * needed, or another negative errno.  Starts threads: not for signal handlers.
 */
int endpoint_start(const char *address, const char *token);

/* Ends it; profiles that are being taken are dropped.  0 or -ESRCH. */
int endpoint_stop(void);

/* Writes its URL, or unix:PATH.  0, -ESRCH or -ENOSPC. */
int endpoint_url(char *buf, size_t size);

/* The process ends: the name of a unix socket goes with it. */
void endpoint_leave(void);

#endif /* WICK_AGENT_ENDPOINT_H */
