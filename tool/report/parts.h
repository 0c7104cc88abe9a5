/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_PARTS_H
#define WICK_REPORT_PARTS_H

#include <stdint.h>

struct sink;
struct workers;

/*
 * Writes the rows from first up to end to out, a sink with a buffer.  worker,
 * below WORKERS_MAX, tells whose memory to use.  Returns 0 or a negative errno.
 */
typedef int parts_put(void *context, unsigned worker, uint32_t first,
		      uint32_t end, struct sink *out);

/*
 * Rows of a report, such as samples, that workers write at the same time, a
 * part each, and that come out in their order.  Each worker has a few buffers
 * of some hundred kilobytes and waits for its turn when they are full, so
 * memory does not depend on how much is written.
 */
struct parts {
	uint32_t first;
	uint32_t end;		       /* behind the last */
	const struct workers *workers; /* NULL: one */
	parts_put *put;
	void *context;
};

/*
 * Writes all rows, or up to the first failure of out or put().  Returns 0,
 * -ENOMEM or what put() returned; failures of out show when it is flushed.
 */
int parts_write(const struct parts *p, struct sink *out);

#endif /* WICK_REPORT_PARTS_H */
