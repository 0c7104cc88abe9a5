/* SPDX-License-Identifier: MIT */
/* What the example server does for its clients: work of several kinds. */
#ifndef EXAMPLE_SERVER_WORK_H
#define EXAMPLE_SERVER_WORK_H

#include <stddef.h>

/* body is malloc'd, and free()d by whoever has the reply. */
struct reply {
	const char *status;
	char *body;
	size_t len;
};

/* Files are served from this folder, and from nowhere else. */
void work_begin(const char *folder);

/* Hashes a word over and over; the argument says how often. */
void work_hash(const char *argument, struct reply *r);

/* Counts words in a table that all threads share, behind one lock. */
void work_count(const char *argument, struct reply *r);

/* Parses a sum, "1+20+3", and answers what it comes to. */
void work_sum(const char *argument, struct reply *r);

/* Reads a file. */
void work_file(const char *argument, struct reply *r);

#endif /* EXAMPLE_SERVER_WORK_H */
