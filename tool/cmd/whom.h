/* SPDX-License-Identifier: MIT */
/* Whom and how long to record, as people say it on the command line. */
#ifndef WICK_CMD_WHOM_H
#define WICK_CMD_WHOM_H

#include <stdint.h>

struct error;
struct opt_list;
struct pid_list;

/* Both return 0 or a negative errno with a sentence. */

/* The milliseconds of option --name; 0 if text is NULL. */
int whom_seconds(const char *text, const char *name, uint64_t *ret_ms,
		 struct error *err);

/* Adds the process ids of words such as "12" and "12,34". */
int whom_pids(struct pid_list *list, const struct opt_list *words,
	      struct error *err);

#endif /* WICK_CMD_WHOM_H */
