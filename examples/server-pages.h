/* SPDX-License-Identifier: MIT */
/* wick's pages, mounted in the server. */
#ifndef SERVER_PAGES_H
#define SERVER_PAGES_H

#include <stdbool.h>

/* Whether a path is one of wick's: /debug/pprof/... and /metrics. */
bool pages_have(const char *path);

/*
 * Answers a request (its head, ended with NUL) in a thread of its own, since a
 * profile takes its seconds.  fd stays the caller's, who hangs up.
 */
void pages_serve(int fd, const char *target, const char *head);

#endif /* SERVER_PAGES_H */
