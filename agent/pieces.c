/* SPDX-License-Identifier: MIT */
/* See pieces.h.  A capture begins before the last one ends: nothing is missed
 * in between. */
#include "agent/pieces.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/capture.h"
#include "agent/futex.h"
#include "agent/output.h"
#include "base/fmt.h"

enum { PATH_SIZE = 1024 };

#define PIECE_NANOS UINT64_C(1000000000)

/* One per process, as the environment that asks for it is. */
static struct {
	_Atomic uint32_t lock;
	struct capture *capture; /* NULL: nothing runs */
	struct capture_options options;
	uint64_t due;
	uint32_t number;
	char folder[PATH_SIZE];
} pieces;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int pieces_start(const char *folder, const struct capture_options *o)
{
	int r;

	if (pieces.capture)
		return -EALREADY;
	if (strlen(folder) + 32 > PATH_SIZE)
		return -ENAMETOOLONG;
	memcpy(pieces.folder, folder, strlen(folder) + 1);
	pieces.number = 0;
	pieces.options = *o;
	pieces.options.no_symbols = true;
	pieces.options.process = true;
	r = capture_begin(&pieces.capture, &pieces.options, NULL);
	if (r < 0)
		return r;
	pieces.due = now() + PIECE_NANOS;
	return output_start();
}

/* Takes the piece that runs; another follows it, if one is to. */
static bool take(struct output_job *job, char path[PATH_SIZE], bool last)
{
	struct capture *next = NULL;

	futex_lock(&pieces.lock);
	*job = (struct output_job){ .capture = pieces.capture, .path = path };
	/* Without memory for another this one goes on. */
	if (job->capture && !last &&
	    capture_begin(&next, &pieces.options, NULL) < 0)
		job->capture = NULL;
	if (job->capture) {
		fmt_text(path, PATH_SIZE, "%s/%d.%u", pieces.folder,
			 (int)getpid(), pieces.number++);
		pieces.capture = next;
	}
	pieces.due = now() + PIECE_NANOS;
	futex_unlock(&pieces.lock);
	return job->capture != NULL;
}

void pieces_stop(void)
{
	char path[PATH_SIZE];
	struct output_job job;

	if (take(&job, path, true))
		(void)output_make(&job);
}

void pieces_remove(void)
{
	char path[PATH_SIZE];

	while (pieces.number) {
		fmt_text(path, PATH_SIZE, "%s/%d.%u", pieces.folder,
			 (int)getpid(), --pieces.number);
		unlink(path);
	}
}

void pieces_serve(void)
{
	char path[PATH_SIZE];
	struct output_job job;

	if (pieces.capture && now() >= pieces.due && take(&job, path, false))
		output_run(&job);
}

uint64_t pieces_due(void)
{
	uint64_t at = now();

	if (!pieces.capture)
		return 0;
	return pieces.due > at ? pieces.due - at : 1;
}

void pieces_forget(void)
{
	pieces.lock = 0;
	pieces.capture = NULL;
}
