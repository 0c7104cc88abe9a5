/* SPDX-License-Identifier: MIT */
/* See pprof.h. */
#include "pprof/pprof.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "pprof/arguments.h"
#include "pprof/fetch.h"
#include "pprof/output.h"
#include "pprof/shell.h"
#include "pprof/viewer.h"
#include "profile/relabel.h"

static int report_once(const struct profile *p, const struct arguments *a,
		       struct error *err)
{
	struct viewers viewers = { 0 };
	const struct output output = {
		.profile = p,
		.verb = a->verb,
		.argument = a->verb_argument,
		.config = &a->config,
		.viewers = &viewers,
	};
	int r = output_make(&output, err);

	viewers_release(&viewers);
	return r;
}

/* When the profile came from standard input, commands come from the user's
 * terminal, as less does it; without one there are none. */
static void reclaim_input(const struct arguments *a)
{
	bool taken = false;
	int fd;

	for (unsigned i = 0; i < a->source_count; i++)
		taken |= !strcmp(a->sources[i], "-");
	fd = taken ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	(void)dup2(fd, STDIN_FILENO); /* else the shell ends at once */
	close(fd);
}

/* pprof's shell keeps the profile as it would be written, and so without labels
 * that a file cannot have. */
static int converse(struct profile *p, const struct arguments *a,
		    struct error *err)
{
	if (profile_drop_blank_labels(p) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	reclaim_input(a);
	return shell_run(p, &a->config, err);
}

int pprof_run(const struct arguments *a, struct error *err)
{
	struct fetched f = { 0 };
	int r = fetch(&f, a, err);

	if (r == 0 && a->verb)
		r = report_once(f.profile, a, err);
	if (r == 0 && !a->verb)
		r = converse(f.profile, a, err);
	fetched_release(&f);
	return r;
}
