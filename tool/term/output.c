/* SPDX-License-Identifier: MIT */
/* See output.h. */
#include "term/output.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sink.h"
#include "term/pager.h"

static struct sink out;
static char buffer[1 << 16];

struct sink *output_open(enum output_use use)
{
	if (use == OUTPUT_PAGED)
		pager_start();
	out = sink_to_fd(STDOUT_FILENO, buffer, sizeof(buffer));
	return &out;
}

int output_close(struct error *err)
{
	int r = sink_flush(&out);

	if (r == 0 || r == -EPIPE)
		return 0;
	return error_set_errno(err, r, "cannot write standard output");
}

int output_finish(int r, struct error *err)
{
	int closing = output_close(r < 0 ? NULL : err);

	return r < 0 ? r : closing;
}
