/* SPDX-License-Identifier: MIT */
/* See inside.h. */
#include "collect/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "collect/collect.h"
#include "collect/pieces.h"
#include "collect/program.h"
#include "collect/signals.h"
#include "collect/summary.h"
#include "format/recording.h"
#include "symbolize/profile.h"

/* libwick.so, as the linker puts it into the command. */
extern const char agent_image[] __asm__("_binary_agent_image_start");
extern const char agent_image_end[] __asm__("_binary_agent_image_end");

enum { PATH_SIZE = 4096, TICK_MS = 100 };

struct visit {
	const struct collect_options *o;
	struct program program;
	struct signals signals;
	char folder[64];
	int64_t begin; /* nanoseconds of the epoch */
	int64_t end;
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The agent, where the program can load it from. */
static int unpack(struct visit *v, char path[PATH_SIZE], struct error *err)
{
	size_t left = (size_t)(agent_image_end - agent_image);
	const char *at = agent_image;
	int fd;

	fmt_text(v->folder, sizeof(v->folder), "/tmp/wick-XXXXXX");
	if (!mkdtemp(v->folder)) {
		v->folder[0] = '\0';
		return error_set_errno(err, -errno,
				       "cannot make a folder in '/tmp'");
	}
	fmt_text(path, PATH_SIZE, "%s/libwick.so", v->folder);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
	while (fd >= 0 && left) {
		ssize_t n = write(fd, at, left);

		if (n <= 0)
			break;
		at += n;
		left -= (size_t)n;
	}
	if (fd < 0 || left) {
		int code = -errno;

		if (fd >= 0)
			close(fd);
		return error_set_errno(err, code, "cannot write '%s'", path);
	}
	close(fd);
	return 0;
}

/* What tells the program's loader, and the agent, what to do. */
static int invite(const struct visit *v, const char *agent, struct error *err)
{
	const char *others = getenv("LD_PRELOAD");
	char preload[2 * PATH_SIZE], hertz[16];

	if (others && strlen(others) >= PATH_SIZE)
		return error_set(err, -E2BIG, "LD_PRELOAD is too long");
	fmt_text(preload, sizeof(preload), "%s%s%s", agent, others ? ":" : "",
		 others ? others : "");
	fmt_text(hertz, sizeof(hertz), "%u", v->o->hertz);
	if (setenv("LD_PRELOAD", preload, 1) < 0 ||
	    setenv("WICK_RECORD", v->folder, 1) < 0 ||
	    setenv("WICK_RECORD_HZ", hertz, 1) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Takes back what was meant for the program alone. */
static void uninvite(const char *preload)
{
	if (preload)
		(void)setenv("LD_PRELOAD", preload, 1); /* it was there */
	else
		unsetenv("LD_PRELOAD");
	unsetenv("WICK_RECORD");
	unsetenv("WICK_RECORD_HZ");
}

static int start(struct visit *v, struct error *err)
{
	const char *preload = getenv("LD_PRELOAD");
	char agent[PATH_SIZE];
	char *kept = preload ? strdup(preload) : NULL;
	int r = unpack(v, agent, err);

	if (r == 0)
		r = invite(v, agent, err);
	if (r == 0)
		r = program_prepare(&v->program, v->o->argv,
				    &v->signals.old_mask, err);
	uninvite(kept);
	free(kept);
	return r < 0 ? r : program_go(&v->program, v->o->argv[0], err);
}

static void run(struct visit *v)
{
	const struct collect_options *o = v->o;
	struct pollfd fd = { .fd = v->signals.fd, .events = POLLIN };

	v->begin = now();
	v->end = o->seconds_ms
			 ? v->begin + (int64_t)(o->delay_ms + o->seconds_ms) *
					      1000000
			 : INT64_MAX;
	while (!v->program.ended && !v->signals.interrupted && now() < v->end)
		if (poll(&fd, 1, TICK_MS) > 0)
			signals_take(&v->signals, &v->program);
	/* Who is told to end has a moment to write its last piece. */
	if (v->signals.interrupted)
		program_end(&v->program);
}

static void add_comment(struct profile *p, const char *text)
{
	str_id *row = VEC_PUSH(&p->comments, p->arena);

	if (row)
		*row = strtab_add_text(p->strings, text);
}

/* The command line comes first, as in every recording. */
static void describe(struct visit *v, struct profile *p)
{
	struct sink line = sink_to_memory(p->arena);

	for (char **a = v->o->argv; *a; a++)
		sink_format(&line, "%s%s", a == v->o->argv ? "" : " ", *a);
	sink_char(&line, '\0');
	p->comments.count = 0;
	add_comment(p, (const char *)sink_bytes(&line).at);
	add_comment(p, "from inside the program, by its threads' clocks");
	p->header.duration_nanos = now() - v->begin;
}

static int write_recording(struct visit *v, const struct profile *p,
			   uint64_t *ret_bytes, struct error *err)
{
	static char buf[1 << 16];
	struct arena arena = { 0 };
	struct sink out;
	struct recording recording = { .arena = &arena,
				       .out = &out,
				       .level = RECORDING_LEVEL };
	int fd = open(v->o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0644);
	int r;

	if (fd < 0)
		return error_set_errno(err, -errno, "cannot write '%s'",
				       v->o->output);
	out = sink_to_fd(fd, buf, sizeof(buf));
	r = recording_begin(&recording, err);
	if (r == 0)
		r = recording_end(&recording, p, err);
	*ret_bytes = out.total;
	close(fd);
	arena_release(&arena);
	return r;
}

static int finish(struct visit *v, struct error *err)
{
	const int64_t delay = (int64_t)v->o->delay_ms * 1000000;
	const struct profile_symbols how = { 0 };
	struct pieces p;
	uint64_t bytes = 0;
	int r = pieces_read(&p, v->folder, v->begin + delay - 1000000000,
			    v->end, err);

	if (r == -ENOENT)
		r = error_set(err, r,
			      "'%s' loaded no library: it is static, or of Go, "
			      "or ended in its first second by a signal",
			      v->o->argv[0]);
	if (r == 0 && !v->o->no_symbols)
		r = profile_symbolize(&p.profile, &how);
	if (r == 0) {
		describe(v, &p.profile);
		r = write_recording(v, &p.profile, &bytes, err);
	}
	if (r == 0 && !v->o->quiet)
		summary_of_visit(&p, bytes, v->o);
	arena_release(&p.arena);
	return r;
}

static void clean_up(struct visit *v)
{
	char path[PATH_SIZE];
	struct dirent *entry;
	DIR *files = *v->folder ? opendir(v->folder) : NULL;

	while (files && (entry = readdir(files))) {
		fmt_text(path, sizeof(path), "%s/%s", v->folder, entry->d_name);
		(void)unlink(path);
	}
	if (files)
		closedir(files);
	if (*v->folder)
		(void)rmdir(v->folder);
}

int collect_inside(const struct collect_options *o, struct collect_result *ret,
		   struct error *err)
{
	struct visit v = { .o = o, .program = { .go = -1, .failed = -1 } };
	int r;

	signals_watch(&v.signals);
	r = start(&v, err);
	if (r == 0) {
		run(&v);
		r = finish(&v, err);
		signals_wait(&v.signals, &v.program);
	}
	program_end(&v.program);
	ret->status = program_status(&v.program);
	ret->interrupted = v.signals.interrupted;
	signals_unwatch(&v.signals);
	clean_up(&v);
	return r;
}
