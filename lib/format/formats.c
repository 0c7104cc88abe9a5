/* SPDX-License-Identifier: MIT */
/* The formats there are, and reading a file that may be of any of them. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/pages.h"
#include "format/detect.h"
#include "format/folded.h"
#include "format/format.h"
#include "format/gzip.h"
#include "format/legacy.h"
#include "format/pprof.h"
#include "format/recording.h"
#include "profile/profile.h"

/* In the order they are asked whether a file is theirs. */
static const struct format *const formats[] = {
	&format_recording, /* the only one with a name of its own in front */
	&format_pprof, &format_legacy,
	&format_folded, /* any line with a number at its end */
};

const struct format *format_at(unsigned i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

/* Whether path ends with a dot and the len bytes at extension. */
static bool has_extension(const char *path, const char *extension, size_t len)
{
	size_t path_len = strlen(path);

	return len && path_len > len + 1 && path[path_len - len - 1] == '.' &&
	       !memcmp(path + path_len - len, extension, len);
}

static bool format_fits_path(const struct format *f, const char *path)
{
	const char *extension = f->extensions;

	while (*extension) {
		size_t len = strcspn(extension, " ");

		if (has_extension(path, extension, len))
			return true;
		extension += len + strspn(extension + len, " ");
	}
	return false;
}

const struct format *format_for_path(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (format_fits_path(formats[i], path))
			return formats[i];
	return NULL;
}

/* Nobody knows it; oddity is what the one that came nearest stumbled over. */
static int unrecognized(struct span data, const char *oddity, struct error *err)
{
	const char *what = detect_other(data);

	if (*oddity)
		return error_set(err, -EBADMSG,
				 "unrecognized profile format: %s", oddity);
	if (what)
		return error_set(
			err, -EBADMSG,
			"unrecognized profile format: it looks like %s", what);
	return error_set(err, -EBADMSG, "unrecognized profile format");
}

struct input {
	struct span data;
	bool disposable; /* pages of it may be dropped */
};

static int read_as(const struct format *f, struct profile *p,
		   const struct input *in, struct error *err)
{
	if (!f->read || !f->detect(in->data))
		return -ENOTSUP;
	if (in->disposable && f->consume)
		return f->consume(p, in->data, err);
	return f->read(p, in->data, err);
}

static int read_any(struct profile *p, const struct input *in,
		    struct error *err)
{
	struct error oddity = { 0 };

	if (!in->data.len)
		return error_set(err, -EBADMSG, "empty input file");
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct error why = { 0 };
		int r = read_as(formats[i], p, in, &why);

		if (r != -ENOTSUP) {
			if (r < 0 && err)
				*err = why;
			return r;
		}
		if (!oddity.text[0])
			oddity = why;
		/* What a reader that gave up has left behind. */
		r = profile_init(p, p->arena);
		if (r < 0)
			return error_set_errno(err, r, "cannot read a profile");
	}
	return unrecognized(in->data, oddity.text, err);
}

static int read_gzip(struct profile *p, const struct input *in, uint64_t limit,
		     struct error *err)
{
	struct gunzipped plain = { 0 };
	int r = gzip_expand(&plain, in->data, limit, err);

	if (r == 0) {
		if (in->disposable)
			pages_drop(in->data);
		r = read_any(p,
			     &(struct input){ .data = plain.data,
					      .disposable = true },
			     err);
	} else {
		error_prefix(err, "decompressing profile");
	}
	gunzipped_release(&plain);
	return r;
}

static int read_input(struct profile *p, struct input in, uint64_t limit,
		      struct error *err)
{
	if (gzip_detect(in.data))
		return read_gzip(p, &in, limit, err);
	return read_any(p, &in, err);
}

int format_read(struct profile *p, struct span data, uint64_t limit,
		struct error *err)
{
	return read_input(p, (struct input){ .data = data }, limit, err);
}

int format_consume(struct profile *p, struct span data, uint64_t limit,
		   struct error *err)
{
	return read_input(p, (struct input){ .data = data, .disposable = true },
			  limit, err);
}
