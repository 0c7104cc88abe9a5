/* SPDX-License-Identifier: MIT */
/* See delivery.h. */
#include "pprof/delivery.h"

#include <errno.h>
#include <unistd.h>

#include "base/fmt.h"
#include "pprof/talk.h"

enum { HELD_MOST = 4 << 20 };

static void say_remarks(struct delivery *d)
{
	if (!d->remarks->used)
		return;
	talk_text(sink_bytes(d->remarks));
	d->remarks->used = 0;
}

static int open_file(struct delivery *d, const char *path)
{
	int r;

	talk("Generating report in %s", path);
	r = savefile_open(&d->file, path, &d->err);
	if (r < 0)
		return r;
	d->in_file = true;
	d->fd = d->file.fd;
	return 0;
}

/* Bytes that would do a terminal no good go to a file. */
static int open_numbered(struct delivery *d)
{
	char suffix[32];
	int r;

	fmt_text(suffix, sizeof(suffix), ".%s", d->extension);
	d->numbered = (struct numbered){
		.folder = "",
		.prefix = "profile",
		.suffix = suffix,
		.mode = 0666,
	};
	r = numbered_reserve(&d->numbered, &d->err);
	d->numbered.suffix = NULL; /* it ends here */
	if (r < 0)
		return r;
	r = open_file(d, d->numbered.path);
	if (r < 0)
		unlink(d->numbered.path);
	return r;
}

static int open_output(struct delivery *d)
{
	d->in_pager = d->paged && pager_open(&d->pager);
	d->fd = d->in_pager ? d->pager.fd : STDOUT_FILENO;
	return 0;
}

static int put(struct delivery *d, struct span bytes)
{
	int r = fd_write(d->fd, bytes);

	if (r == 0)
		return 0;
	return d->in_file ? error_set_errno(&d->err, r, "cannot write '%s'",
					    d->file.name)
			  : error_set_errno(&d->err, r,
					    "cannot write standard output");
}

static int begin(struct delivery *d)
{
	int r;

	d->begun = true;
	say_remarks(d);
	if (d->path)
		r = open_file(d, d->path);
	else if (d->extension)
		r = open_numbered(d);
	else
		r = open_output(d);
	return r < 0 ? r : put(d, sink_bytes(&d->held));
}

static int hold(struct delivery *d, struct span bytes)
{
	if (!d->held.arena)
		d->held = sink_to_memory(&d->arena);
	sink_span(&d->held, bytes);
	return d->held.error
		       ? error_set(&d->err, d->held.error, "out of memory")
		       : 0;
}

int delivery_take(void *context, struct span bytes)
{
	struct delivery *d = context;
	int r = 0;

	if (!d->begun && bytes.len <= HELD_MOST - d->held.used)
		return d->failed = hold(d, bytes);
	if (!d->begun)
		r = begin(d);
	if (r == 0)
		r = put(d, bytes);
	return d->failed = r;
}

static int close_file(struct delivery *d, bool whole, struct error *err)
{
	int r = 0;

	if (whole)
		r = savefile_commit(&d->file, err);
	else
		savefile_drop(&d->file);
	if (d->numbered.path[0] && (!whole || r < 0))
		unlink(d->numbered.path);
	return r;
}

int delivery_end(struct delivery *d, int r, struct error *err)
{
	bool whole;
	int closing = 0;

	if (r == 0 && !d->failed && !d->begun)
		d->failed = begin(d);
	say_remarks(d);
	whole = r == 0 && !d->failed;
	if (d->in_file)
		closing = close_file(d, whole, err);
	if (d->in_pager)
		pager_close(&d->pager);
	arena_release(&d->arena);
	if (r < 0 || whole)
		return r < 0 ? r : closing;
	if (d->failed == -EPIPE && !d->in_file)
		return 0;
	*err = d->err;
	return d->failed;
}
