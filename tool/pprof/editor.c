/* SPDX-License-Identifier: MIT */
/*
 * See editor.h.  libedit is used on a terminal only: a script that drives the
 * shell through a pipe gets the prompt and nothing else.
 */
#include "pprof/editor.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "term/width.h"

#define HISTORY_LINES 2000
#define PATH_SIZE     4096

struct editor {
	const char *prompt;
	editor_complete *complete;
	void *context;
	EditLine *terminal; /* NULL: lines are read as they come */
	History *history;
	char *line; /* getline()'s */
	size_t size;
	char history_file[PATH_SIZE]; /* "": none */
};

static struct editor *self(EditLine *el)
{
	void *data = NULL;

	el_get(el, EL_CLIENTDATA, &data);
	return data;
}

static char *give_prompt(EditLine *el)
{
	return (char *)self(el)->prompt;
}

/* How many first bytes all candidates share. */
static size_t common_prefix(const struct candidates *c)
{
	size_t len = strlen(c->at.at[0]);

	for (uint32_t i = 1; i < c->at.count; i++) {
		size_t same = 0;

		while (same < len && c->at.at[i][same] == c->at.at[0][same])
			same++;
		len = same;
	}
	return len;
}

/* Lists them in columns below the line. */
static void list(const struct candidates *c)
{
	char buf[4096];
	struct sink out = sink_to_fd(STDOUT_FILENO, buf, sizeof(buf));
	size_t widest = 1;
	unsigned columns;

	for (uint32_t i = 0; i < c->at.count; i++)
		if (strlen(c->at.at[i]) + 2 > widest)
			widest = strlen(c->at.at[i]) + 2;
	columns = term_width(STDOUT_FILENO) / (unsigned)widest;
	if (!columns)
		columns = 1;
	for (uint32_t i = 0; i < c->at.count; i++) {
		bool last = (i + 1) % columns == 0 || i + 1 == c->at.count;

		if (i % columns == 0)
			sink_char(&out, '\n');
		sink_format(&out, "%-*s", last ? 0 : (int)widest, c->at.at[i]);
	}
	sink_char(&out, '\n');
	(void)sink_flush(&out); /* a convenience, nothing more */
}

/* Puts the first len bytes of text in place of what was typed. */
static bool replace(EditLine *el, struct arena *arena,
		    const struct candidates *c, size_t len)
{
	const char *text = arena_text(arena, c->at.at[0], len);

	if (!text)
		return false;
	el_deletestr(el, (int)c->replaced);
	return el_insertstr(el, text) == 0;
}

static unsigned char on_tab(EditLine *el, int key)
{
	struct editor *e = self(el);
	const LineInfo *info = el_line(el);
	struct arena arena = { 0 };
	struct candidates c = { 0 };
	unsigned char result = CC_ERROR;
	const char *line = arena_text(&arena, info->buffer,
				      (size_t)(info->cursor - info->buffer));
	size_t common;

	(void)key;
	if (line)
		e->complete(e->context, &arena, line, &c);
	common = c.at.count ? common_prefix(&c) : 0;
	/* Names may contain what was typed anywhere: then only one can take
	 * its place. */
	if (c.at.count == 1 || common > c.replaced)
		result = replace(el, &arena, &c, common) ? CC_REFRESH
							 : CC_ERROR;
	if (c.at.count > 1 && result != CC_REFRESH) {
		list(&c);
		result = CC_REDISPLAY;
	}
	arena_release(&arena);
	return result;
}

static bool make_folder(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* $XDG_STATE_HOME/wick/pprof_history; "" if there is no place for it. */
static void find_history_file(char path[PATH_SIZE])
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char folder[PATH_SIZE - 32];

	path[0] = '\0';
	if (state && state[0] == '/') {
		fmt_text(folder, sizeof(folder), "%s", state);
	} else if (home && home[0] == '/') {
		fmt_text(folder, sizeof(folder), "%s/.local", home);
		(void)make_folder(folder); /* the next one tells */
		fmt_text(folder, sizeof(folder), "%s/.local/state", home);
	} else {
		return;
	}
	if (!make_folder(folder))
		return;
	fmt_text(path, PATH_SIZE, "%s/wick", folder);
	if (make_folder(path))
		fmt_text(path, PATH_SIZE, "%s/wick/pprof_history", folder);
	else
		path[0] = '\0';
}

static void load_history(struct editor *e)
{
	HistEvent event;

	e->history = history_init();
	if (!e->history)
		return;
	find_history_file(e->history_file);
	history(e->history, &event, H_SETSIZE, HISTORY_LINES);
	history(e->history, &event, H_SETUNIQUE, 1);
	if (e->history_file[0])
		history(e->history, &event, H_LOAD, e->history_file);
	el_set(e->terminal, EL_HIST, history, e->history);
}

/* A dumb terminal can not show what an editor does. */
static bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/*
 * One character.  SIGINT is blocked but for the wait, so that one that comes
 * while a line is drawn ends the next wait instead of being lost.
 */
static int read_character(EditLine *el, wchar_t *ret)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	mbstate_t state = { 0 };
	sigset_t none;
	char byte;

	(void)el;
	(void)sigprocmask(SIG_SETMASK, NULL, &none); /* can not fail */
	(void)sigdelset(&none, SIGINT);
	for (;;) {
		ssize_t n;

		if (ppoll(&in, 1, NULL, &none) < 0)
			return -1;
		n = read(STDIN_FILENO, &byte, 1);
		if (n <= 0)
			return (int)n;
		switch (mbrtowc(ret, &byte, 1, &state)) {
		case (size_t)-2:
			continue; /* there is more to it */
		case (size_t)-1:
			state = (mbstate_t){ 0 };
			continue; /* not a character here: dropped */
		default:
			return 1;
		}
	}
}

static void open_terminal(struct editor *e)
{
	setlocale(LC_CTYPE, ""); /* so that it knows what a character is */
	e->terminal = el_init("wick", stdin, stdout, stderr);
	if (!e->terminal)
		return;
	el_set(e->terminal, EL_CLIENTDATA, e);
	el_set(e->terminal, EL_PROMPT, give_prompt);
	el_set(e->terminal, EL_EDITOR, "emacs");
	el_set(e->terminal, EL_GETCFN, read_character);
	el_set(e->terminal, EL_ADDFN, "wick-complete", "complete a word",
	       on_tab);
	el_set(e->terminal, EL_BIND, "^I", "wick-complete", NULL);
	el_set(e->terminal, EL_BIND, "^R", "em-inc-search-prev", NULL);
	load_history(e);
	el_source(e->terminal, NULL); /* the user's ~/.editrc, if any */
}

struct editor *editor_open(const char *prompt, editor_complete *complete,
			   void *context)
{
	struct editor *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->prompt = prompt;
	e->complete = complete;
	e->context = context;
	if (is_terminal())
		open_terminal(e);
	else
		setvbuf(stdin, NULL, _IONBF, 0); /* for editor_has_input() */
	return e;
}

bool editor_has_input(const struct editor *e)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	(void)e; /* who keeps no bytes back */
	return poll(&in, 1, 0) != 0;
}

static const char *strip_newline(char *line, size_t len)
{
	if (len && line[len - 1] == '\n')
		line[len - 1] = '\0';
	return line;
}

static void on_interrupt(int number)
{
	(void)number; /* only there to end a read */
}

static const char *remember(struct editor *e, const char *line)
{
	HistEvent event;

	if (e->history && line[strspn(line, " \t\n")])
		history(e->history, &event, H_ENTER, line);
	return line;
}

/* ^C drops the line and asks again. */
static const char *read_terminal(struct editor *e)
{
	const struct sigaction catch = { .sa_handler = on_interrupt };
	struct sigaction old;
	sigset_t interrupt;
	sigset_t mask;
	const char *line;
	int count;

	(void)sigemptyset(&interrupt);
	(void)sigaddset(&interrupt, SIGINT); /* a valid signal */
	(void)sigaction(SIGINT, &catch, &old);
	(void)sigprocmask(SIG_BLOCK, &interrupt, &mask);
	while (!(line = el_gets(e->terminal, &count)) && count == -1 &&
	       errno == EINTR) {
		(void)!write(STDOUT_FILENO, "\n", 1);
		el_reset(e->terminal);
	}
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	(void)sigaction(SIGINT, &old, NULL);
	if (!line || count <= 0) {
		(void)!write(STDOUT_FILENO, "\n", 1);
		return NULL;
	}
	free(e->line);
	e->line = strdup(remember(e, line));
	return e->line ? strip_newline(e->line, strlen(e->line)) : NULL;
}

const char *editor_read(struct editor *e)
{
	ssize_t len;

	if (e->terminal)
		return read_terminal(e);
	if (write(STDOUT_FILENO, e->prompt, strlen(e->prompt)) < 0)
		return NULL;
	len = getline(&e->line, &e->size, stdin);
	return len < 0 ? NULL : strip_newline(e->line, (size_t)len);
}

void editor_close(struct editor *e)
{
	HistEvent event;

	if (!e)
		return;
	if (e->history) {
		mode_t mask = umask(0077);

		if (e->history_file[0])
			history(e->history, &event, H_SAVE, e->history_file);
		umask(mask);
		history_end(e->history);
	}
	if (e->terminal)
		el_end(e->terminal);
	free(e->line);
	free(e);
}
