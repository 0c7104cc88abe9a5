/* SPDX-License-Identifier: MIT */
/* See pieces.h. */
#include "inside/pieces.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/vec.h"
#include "profile/merge.h"
#include "report/load.h"

struct reading {
	struct pieces *p;
	struct arena arena;
	VEC(const struct profile *) parts;
	VEC(long) pids;
	int64_t since;
	int64_t until;
};

static void note_process(struct reading *r, long pid)
{
	long *row;

	for (uint32_t i = 0; i < r->pids.count; i++)
		if (r->pids.at[i] == pid)
			return;
	row = VEC_PUSH(&r->pids, &r->arena);
	if (row)
		*row = pid;
}

/* Whether a file is a piece that is whole, PID.NUMBER, and whose. */
static bool is_piece(const char *name, long *ret_pid)
{
	char *end;

	*ret_pid = strtol(name, &end, 10);
	/* One that is being written ends with a '~'. */
	return end != name && *end == '.' && name[strlen(name) - 1] != '~';
}

static void read_piece(struct reading *r, const char *folder, const char *name)
{
	struct profile *part = ARENA_NEW(&r->arena, struct profile);
	const struct profile **row;
	char path[4096];
	long pid;

	if (!part || !is_piece(name, &pid))
		return;
	fmt_text(path, sizeof(path), "%s/%s", folder, name);
	if (profile_load(part, &r->arena, path, NULL) < 0) {
		r->p->unreadable++;
		return;
	}
	if (part->header.time_nanos < r->since ||
	    part->header.time_nanos >= r->until)
		return;
	row = VEC_PUSH(&r->parts, &r->arena);
	if (row)
		*row = part;
	note_process(r, pid);
}

static int read_folder(struct reading *r, const char *folder, struct error *err)
{
	DIR *files = opendir(folder);
	struct dirent *entry;

	if (!files)
		return error_set_errno(err, -errno, "cannot read '%s'", folder);
	while ((entry = readdir(files)))
		read_piece(r, folder, entry->d_name);
	closedir(files);
	return 0;
}

static int read_all(struct reading *r, const char *const *folders,
		    struct error *err)
{
	int code = 0;

	while (*folders && code == 0)
		code = read_folder(r, *folders++, err);
	if (code < 0)
		return code;
	if (r->arena.failed)
		return error_set(err, -ENOMEM, "out of memory");
	return r->parts.count ? 0 : -ENOENT;
}

int pieces_read(struct pieces *p, const char *const *folders, int64_t since,
		int64_t until, struct error *err)
{
	struct reading r = { .p = p, .since = since, .until = until };
	int code;

	*p = (struct pieces){ 0 };
	code = read_all(&r, folders, err);
	if (code == 0)
		code = profile_init(&p->profile, &p->arena) < 0 ? -ENOMEM : 0;
	if (code == 0)
		code = profile_merge(&p->profile, r.parts.at, r.parts.count,
				     err);
	p->processes = r.pids.count;
	arena_release(&r.arena);
	return code;
}
