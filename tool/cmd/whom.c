/* SPDX-License-Identifier: MIT */
/* See whom.h. */
#include "cmd/whom.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "collect/cgroup.h"

int whom_seconds(const char *text, const char *name, uint64_t *ret_ms,
		 struct error *err)
{
	char *end;
	double value;

	*ret_ms = 0;
	if (!text)
		return 0;
	value = strtod(text, &end);
	if (end == text || *end || !(value > 0) || value > 1e9)
		return usage_error(err, "--%s: '%s' is not a number of seconds",
				   name, text);
	*ret_ms = (uint64_t)(value * 1000) + 1;
	return 0;
}

static int add_pid(struct pid_list *list, long pid, struct error *err)
{
	pid_t *row = VEC_PUSH(&list->pids, &list->arena);

	if (!row)
		return error_set(err, -ENOMEM, "out of memory");
	*row = (pid_t)pid;
	return 0;
}

int whom_pids(struct pid_list *list, const struct opt_list *words,
	      struct error *err)
{
	int r = 0;

	for (unsigned i = 0; i < words->count; i++) {
		const char *at = words->at[i];
		char *end;

		do {
			long pid = strtol(at, &end, 10);

			if (end == at || (*end && *end != ',') || pid <= 0 ||
			    pid > INT_MAX)
				return usage_error(err,
						   "'%s' is not a process id",
						   words->at[i]);
			r = add_pid(list, pid, err);
			at = end + 1;
		} while (*end && r == 0);
	}
	return r;
}
