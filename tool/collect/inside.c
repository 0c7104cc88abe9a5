/* SPDX-License-Identifier: MIT */
/*
 * See inside.h.  The agent is a file for as long as the program runs, in a
 * folder of its own, where its profiles go too.
 */
#include "collect/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "base/vec.h"
#include "collect/collect.h"
#include "collect/program.h"
#include "format/format.h"
#include "profile/merge.h"
#include "profile/profile.h"
#include "report/load.h"
#include "term/message.h"

enum {
	PATH_SIZE = 4096,
	PROFILES_MAX = 1000, /* of programs that the program runs */
};

/* libwick.so; see scripts/embed-binary.py. */
extern const char libwick_start[];
extern const char libwick_end[];

bool inside_is_needed(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close((int)fd);
	return fd < 0;
}

static int write_file(const char *path, struct span bytes, struct error *err)
{
	char buf[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct sink out;
	int r;

	if (fd < 0)
		return error_set_errno(err, -errno, "cannot write '%s'", path);
	out = sink_to_fd(fd, buf, sizeof(buf));
	sink_span(&out, bytes);
	r = sink_flush(&out);
	close(fd);
	if (r < 0)
		return error_set_errno(err, r, "cannot write '%s'", path);
	return 0;
}

static int make_folder(char folder[PATH_SIZE], struct error *err)
{
	const char *place = getenv("TMPDIR");

	fmt_text(folder, PATH_SIZE, "%s/wick-XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(folder))
		return error_set_errno(err, -errno, "cannot make '%s'", folder);
	return 0;
}

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* What the program finds in its environment. */
static void set_environment(const char *folder, unsigned hertz)
{
	const char *others = getenv("LD_PRELOAD");
	char text[2 * PATH_SIZE];

	fmt_text(text, sizeof(text), "%s/libwick.so%s%s", folder,
		 others && *others ? ":" : "", others ? others : "");
	setenv("LD_PRELOAD", text, true);
	fmt_text(text, sizeof(text), "%s/profile", folder);
	setenv("CPUPROFILE", text, true);
	fmt_text(text, sizeof(text), "%u", hertz);
	setenv("CPUPROFILE_FREQUENCY", text, true);
	unsetenv("CPUPROFILESIGNAL");
	unsetenv("CPUPROFILE_REALTIME");
	unsetenv("CPUPROFILE_USE_PID");
	unsetenv("WICK_FORMAT");
}

/* ^C is for the program, which then ends, and its profile is there. */
static int run_program(const struct collect_options *o,
		       struct collect_result *ret, struct error *err)
{
	struct program program;
	sigset_t mask;
	int r;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	r = program_prepare(&program, o->argv, &mask, err);
	if (r < 0)
		return r;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	r = program_go(&program, o->argv[0], err);
	if (r == 0)
		program_poll(&program, true);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	ret->status = program_status(&program);
	return r;
}

typedef VEC(struct profile *) profile_vec;

static int load_one(profile_vec *all, struct arena *arena, const char *path,
		    struct error *err)
{
	struct profile *p = ARENA_NEW(arena, struct profile);
	struct profile **row = p ? VEC_PUSH(all, arena) : NULL;

	if (!row)
		return error_set_errno(err, -ENOMEM, "cannot read '%s'", path);
	*row = p;
	return profile_load(p, arena, path, err);
}

static int load_all(profile_vec *all, struct arena *arena, const char *folder,
		    struct error *err)
{
	DIR *dir = opendir(folder);
	char path[2 * PATH_SIZE];
	struct dirent *e;
	int r = 0;

	while (dir && r == 0 && all->count < PROFILES_MAX &&
	       (e = readdir(dir))) {
		/* Half-written ones end with a tilde. */
		if (strncmp(e->d_name, "profile", 7) != 0 ||
		    strchr(e->d_name, '~'))
			continue;
		fmt_text(path, sizeof(path), "%s/%s", folder, e->d_name);
		r = load_one(all, arena, path, err);
	}
	if (dir)
		closedir(dir);
	return r;
}

/* One recording of all profiles that were left. */
static int make_recording(const struct collect_options *o, const char *folder,
			  struct arena *arena, struct error *err)
{
	struct sink out = sink_to_memory(arena);
	struct profile merged;
	profile_vec all = { 0 };
	int r = load_all(&all, arena, folder, err);

	if (r < 0)
		return r;
	if (!all.count)
		return error_set(err, -ENODATA,
				 "'%s' left no profile: it was killed, or is "
				 "static, or ended without exit()",
				 o->argv[0]);
	r = profile_init(&merged, arena);
	if (r == 0)
		r = profile_merge(&merged,
				  (const struct profile *const *)all.at,
				  all.count, err);
	if (r == 0)
		r = format_find("wick")->write(&merged, &out, err);
	if (r < 0)
		return r;
	return write_file(o->output, sink_bytes(&out), err);
}

static struct span agent_image(void)
{
	return span_of(libwick_start,
		       (uintptr_t)libwick_end - (uintptr_t)libwick_start);
}

static int record_in(const struct collect_options *o, const char *folder,
		     struct collect_result *ret, struct error *err)
{
	struct arena arena = { 0 };
	char path[PATH_SIZE + 16];
	int r;

	fmt_text(path, sizeof(path), "%s/libwick.so", folder);
	r = write_file(
		path,
		span_of(libwick_start, (size_t)(libwick_end - libwick_start)),
		err);
	if (r < 0)
		return r;
	set_environment(folder, o->hertz);
	r = run_program(o, ret, err);
	if (r == 0)
		r = make_recording(o, folder, &arena, err);
	arena_release(&arena);
	return r;
}

int inside_record(const struct collect_options *o, struct collect_result *ret,
		  struct error *err)
{
	char folder[PATH_SIZE];
	int r;

	*ret = (struct collect_result){ 0 };
	if (!agent_image().len)
		return error_set(err, -ENOTSUP, "this wick has no agent in it");
	r = make_folder(folder, err);
	if (r < 0)
		return r;
	r = record_in(o, folder, ret, err);
	remove_folder(folder);
	if (r == 0 && !o->quiet)
		message("recorded from inside the program; see it with "
			"\"wick report %s\"",
			o->output);
	return r;
}
