/* SPDX-License-Identifier: MIT */
/* See assemble.h. */
#include "inside/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sink.h"
#include "collect/binary.h"
#include "collect/collect.h"
#include "format/recording.h"
#include "inside/account.h"
#include "inside/pieces.h"
#include "symbolize/profile.h"

int64_t assemble_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void add_comment(struct profile *p, const char *text)
{
	str_id *row = VEC_PUSH(&p->comments, p->arena);

	if (row)
		*row = strtab_add_text(p->strings, text);
}

/* The command line comes first, as in every recording. */
static void describe(const struct collect_options *o, int64_t began,
		     struct profile *p)
{
	struct sink line = sink_to_memory(p->arena);

	for (char **a = o->argv; a && *a; a++)
		sink_format(&line, "%s%s", a == o->argv ? "" : " ", *a);
	if (!o->argv && o->who)
		sink_text(&line, o->who);
	sink_char(&line, '\0');
	p->comments.count = 0;
	add_comment(p, (const char *)sink_bytes(&line).at);
	add_comment(p, "from inside the program, by its threads' clocks");
	p->header.duration_nanos = assemble_now() - began;
}

static int write_recording(const char *path, const struct profile *p,
			   uint64_t *ret_bytes, struct error *err)
{
	static char buf[1 << 16];
	struct arena arena = { 0 };
	struct sink out;
	struct recording recording = { .arena = &arena,
				       .out = &out,
				       .level = RECORDING_LEVEL };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return error_set_errno(err, -errno, "cannot write '%s'", path);
	out = sink_to_fd(fd, buf, sizeof(buf));
	r = recording_begin(&recording, err);
	if (r == 0)
		r = recording_end(&recording, p, err);
	*ret_bytes = out.total;
	close(fd);
	arena_release(&arena);
	return r;
}

/* The vdso as a file; -1: there is none.  It is the same in all processes. */
static int open_vdso(void)
{
	struct span image = binary_vdso_image();
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, image.at, image.len) == (ssize_t)image.len)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Where the files of mappings are that are not under their names here. */
static const char **find_paths(const struct profile *p, const char *root,
			       int vdso)
{
	const char **paths = ARENA_ARRAY(p->arena, const char *,
					 p->mappings.count);

	for (uint32_t i = 1; paths && i < p->mappings.count; i++) {
		const char *file = profile_text(p, p->mappings.at[i].file);
		struct sink path = sink_to_memory(p->arena);

		if (!strcmp(file, "[vdso]") && vdso >= 0)
			sink_format(&path, "/proc/self/fd/%d", vdso);
		else if (root && *file == '/' && file[1] != '/')
			sink_format(&path, "%s%s", root, file);
		else
			continue;
		sink_char(&path, '\0');
		paths[i] = (const char *)sink_bytes(&path).at;
	}
	return paths;
}

static int find_names(struct profile *p, const char *root)
{
	int vdso = open_vdso();
	const struct profile_symbols how = {
		.paths = find_paths(p, root, vdso),
	};
	int r = profile_symbolize(p, &how);

	if (vdso >= 0)
		close(vdso);
	return r;
}

int assemble(const struct collect_options *o, const struct assembly *a,
	     struct error *err)
{
	struct pieces p;
	uint64_t bytes = 0;
	int r = pieces_read(&p, a->folders, a->since, a->until, err);

	if (r == 0 && !o->no_symbols)
		r = find_names(&p.profile, a->root);
	if (r == 0) {
		describe(o, a->began, &p.profile);
		r = write_recording(o->output, &p.profile, &bytes, err);
	}
	if (r == 0 && !o->quiet)
		account_write(&p, bytes, o);
	arena_release(&p.arena);
	return r;
}
