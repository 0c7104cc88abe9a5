/* SPDX-License-Identifier: MIT */
/* See viewer.h. */
#include "pprof/viewer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "pprof/child.h"
#include "pprof/clock.h"
#include "pprof/savefile.h"
#include "pprof/verbs.h"

#define WORDS_MAX      16
#define LINGER_MS      1000
#define CANDIDATES_MAX 8

/* Programs to try, best first. */
struct candidates {
	const char *command[CANDIDATES_MAX];
	unsigned count;
};

static void add(struct candidates *c, const char *command)
{
	ASSERT(c->count < CANDIDATES_MAX);
	if (command && *command)
		c->command[c->count++] = command;
}

/* Browsers come before xdg-open, which may open a picture without its
 * script. */
static void add_browsers(struct candidates *c)
{
	static const char *const usual[] = { "chrome", "google-chrome",
					     "chromium", "firefox",
					     "sensible-browser" };

	add(c, getenv("BROWSER"));
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		add(c, usual[i]);
	if (getenv("DISPLAY"))
		add(c, "xdg-open");
}

/* Starts "program arguments file"; a process id or a negative errno. */
static int start(struct arena *arena, const char *command, const char *file)
{
	const char *argv[WORDS_MAX + 2];
	unsigned count = 0;
	char *words = arena_text(arena, command, strlen(command));
	char *rest = words;

	if (!words)
		return -ENOMEM;
	for (char *w; count < WORDS_MAX && (w = strsep(&rest, " "));)
		if (*w)
			argv[count++] = w;
	if (!count)
		return -ENOENT;
	argv[count++] = file;
	argv[count] = NULL;
	return child_start(argv);
}

static int write_file(struct viewers *v, const struct verb *verb,
		      struct span report, const char **ret, struct error *err)
{
	const char *folder = getenv("PPROF_TMPDIR");
	char suffix[32];
	struct numbered file = {
		.folder = folder && *folder ? folder : temporary_folder(),
		.prefix = "pprof",
		.suffix = suffix,
		.mode = 0600, /* the folder is everybody's */
	};
	const char **row;
	int r;

	fmt_text(suffix, sizeof(suffix), ".%s", verb->extension);
	r = numbered_reserve(&file, err);
	if (r < 0)
		return r;
	*ret = arena_text(&v->arena, file.path, strlen(file.path));
	row = *ret ? VEC_PUSH(&v->files, &v->arena) : NULL;
	if (!row) {
		unlink(file.path);
		return error_set(err, -ENOMEM, "out of memory");
	}
	*row = *ret;
	return savefile_write(*ret, report, err);
}

static int wait_for(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* somebody else has seen it end */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int viewers_show(struct viewers *v, const struct verb *verb, struct span report,
		 bool wait, struct error *err)
{
	struct candidates c = { 0 };
	const char *file;
	int r = write_file(v, verb, report, &file, err);

	if (r < 0)
		return r;
	if (!strcmp(verb->viewer, VIEWER_BROWSER))
		add_browsers(&c);
	else
		add(&c, verb->viewer);
	r = -ENOENT;
	for (unsigned i = 0; i < c.count && r < 0; i++)
		r = start(&v->arena, c.command[i], file);
	if (r < 0)
		return error_set_errno(err, r,
				       "no program to show '%s' with (%s)",
				       file, verb->viewer);

	v->last_start = clock_ms();
	if (!wait)
		return 0;
	r = wait_for(r);
	if (r > 0)
		return error_set(err, -EIO, "the viewer failed: exit status %d",
				 r);
	return 0;
}

void viewers_release(struct viewers *v)
{
	int64_t left = v->last_start + LINGER_MS - clock_ms();

	if (v->files.count && left > 0)
		(void)poll(NULL, 0, (int)left); /* woken early: no harm */
	for (uint32_t i = 0; i < v->files.count; i++)
		unlink(v->files.at[i]);
	arena_release(&v->arena);
	*v = (struct viewers){ 0 };
}
