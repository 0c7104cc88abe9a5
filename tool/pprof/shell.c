/* SPDX-License-Identifier: MIT */
/* See shell.h.  A mistake in a line is remarked upon and costs that line. */
#include "pprof/shell.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/complete.h"
#include "pprof/config.h"
#include "pprof/editor.h"
#include "pprof/greeting.h"
#include "pprof/output.h"
#include "pprof/request.h"
#include "pprof/settings.h"
#include "pprof/talk.h"
#include "pprof/usage.h"
#include "pprof/verbs.h"
#include "pprof/viewer.h"
#include "profile/order.h"
#include "profile/profile.h"
#include "profile/stackpaths.h"
#include "report/ahead.h"
#include "report/context.h"
#include "report/selection.h"

struct shell {
	const struct profile *profile;
	struct config config; /* the options in force */
	struct arena values;  /* texts that options were set to */
	struct arena line;    /* what one line needs */
	struct viewers viewers;
	struct selections selections; /* what reports have made */
	bool changed;		      /* options, since work_ahead() */
	bool answered;		      /* the last line: there is a report */
	bool left;
};

static void complain(const struct error *err)
{
	talk("%s", err->text);
}

/* Stores the type's name, whatever it was called by. */
static int check_sample_index(struct shell *s, const char **value,
			      struct error *err)
{
	uint32_t index;
	int r = sample_index_find(s->profile, *value, &index, err);

	if (r == 0)
		*value = profile_text(s->profile,
				      s->profile->types.at[index].type);
	return r;
}

/* A copy of from..to without white space at its ends. */
static const char *trimmed(struct shell *s, const char *from, const char *to)
{
	const char *text;

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	text = arena_text(&s->line, from, (size_t)(to - from));
	return text ? text : "";
}

/* The end of an option's value: before the last "//:", a comment. */
static const char *value_end(const char *value)
{
	const char *end = NULL;

	for (const char *at = value; (at = strstr(at, "//:")); at++)
		end = at;
	return end ? end : value + strlen(value);
}

static bool needs_value(const char *name)
{
	const struct option *o = option_find(name);

	return o && o->kind != FLAG_BOOL;
}

/* "name=value" or "name"; false if the line is no assignment. */
static bool assign(struct shell *s, const char *line)
{
	const char *equals = strchr(line, '=');
	const char *name = trimmed(s, line,
				   equals ? equals : line + strlen(line));
	const char *value = equals ? trimmed(s, equals + 1,
					     value_end(equals + 1))
				   : "";
	struct error err;
	int r = 0;

	if (!option_find(name) && !choice_find(name))
		return false;
	if (!equals && needs_value(name)) {
		talk("please specify a value, e.g. %s=<val>", name);
		return true;
	}
	if (!strcmp(name, "sample_index"))
		r = check_sample_index(s, &value, &err);
	if (r == 0)
		r = config_set(&s->config, &s->values, name, value, &err);
	if (r < 0)
		complain(&err);
	s->changed = true;
	return true;
}

static void report(struct shell *s, const struct words *words)
{
	struct request request;
	struct error err = { 0 };
	int r = request_parse(&request, words, &s->config, &s->line, &err);

	if (r == 0) {
		const struct output output = {
			.profile = s->profile,
			.verb = request.verb,
			.argument = request.argument,
			.config = &request.config,
			.viewers = &s->viewers,
			.selections = &s->selections,
			.interactive = true,
		};

		s->answered = true;
		ahead_hold(&s->selections, true);
		r = output_make(&output, &err);
		ahead_hold(&s->selections, false);
	}
	if (r < 0)
		complain(&err);
}

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* A line, or a part of what one stands for. */
static void execute(struct shell *s, const char *line)
{
	static const char *const show[] = { "o", "options", NULL };
	static const char *const leave[] = { "exit", "quit", "q", NULL };
	struct words words;

	if (assign(s, line))
		return;
	if (words_split(&words, &s->line, line) < 0) {
		talk("out of memory");
		return;
	}
	if (!words.at.count)
		return;
	if (is_one_of(words.at.at[0], show))
		settings_show(&s->config, s->profile, &s->line);
	else if (is_one_of(words.at.at[0], leave))
		s->left = true;
	else if (!strcmp(words.at.at[0], "help"))
		settings_help(s->profile, &words, &s->line);
	else
		report(s, &words);
}

/* As if it were typed, so that a name that is a number is one. */
static void choose_type(struct shell *s, const char *type)
{
	struct sink line = sink_to_memory(&s->line);

	sink_text(&line, "sample_index=");
	sink_text(&line, type);
	sink_char(&line, '\0');
	if (!line.error)
		execute(s, (const char *)sink_bytes(&line).at);
}

/* What a line that is a type's name stands for; false: it is none.  Of two
 * types that a line may mean, it is the last. */
static bool execute_type(struct shell *s, const char *line)
{
	static const struct {
		const char *prefix;
		const char *mean; /* how the option is set; NULL: it is not */
	} forms[] = { { "", NULL },
		      { "total_", "mean=0" },
		      { "mean_", "mean=1" } };

	for (uint32_t t = s->profile->types.count; t-- > 0;) {
		const char *type = profile_text(s->profile,
						s->profile->types.at[t].type);

		for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
			size_t len = strlen(forms[i].prefix);

			if (strncmp(line, forms[i].prefix, len) != 0 ||
			    strcmp(line + len, type) != 0)
				continue;
			if (forms[i].mean)
				execute(s, forms[i].mean);
			choose_type(s, type);
			return true;
		}
	}
	return false;
}

static void execute_line(struct shell *s, const char *line)
{
	static const char *const cleared[] = { "focus=", "ignore=", "hide=",
					       "tagfocus=", "tagignore=" };

	s->answered = false;
	line = trimmed(s, line, line + strlen(line));
	if (!strcmp(line, ":")) {
		for (size_t i = 0; i < ARRAY_SIZE(cleared); i++)
			execute(s, cleared[i]);
	} else if (!execute_type(s, line)) {
		execute(s, line);
	}
}

static void complete(void *context, struct arena *arena, const char *line,
		     struct candidates *ret)
{
	const struct shell *s = context;

	complete_line(s->profile, arena, line, ret);
}

/*
 * A person who reads and types leaves time to get answers ready: those about
 * what is looked at now.
 */
static struct ahead *work_ahead(struct shell *s, bool nodes_first)
{
	struct view view = config_view(&s->config);

	s->changed = false;
	return ahead_start(&s->selections, s->profile, &view, nodes_first);
}

static struct timespec time_in(unsigned milliseconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += milliseconds / 1000;
	t.tv_nsec += milliseconds % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
				      : a->tv_nsec < b->tv_nsec;
}

/* Makes stacks that are new quick to read, which is not for the other thread:
 * reports do it, too, and say so if there is no memory for it. */
static void prepare_stacks(const struct profile *p)
{
	(void)stack_prepare_reading(&p->stacks, p->stack, p->sample_count,
				    NULL);
}

/* The first prompt waits for all of it, once instead of at each question: they
 * would have to share the processors with it. */
static void begin(struct shell *s)
{
	const struct timespec until = time_in(4000);
	struct ahead *ahead = work_ahead(s, false);

	greet(s->profile, &s->config);
	if (ahead)
		prepare_stacks(s->profile);
	(void)ahead_settle(ahead, &until); /* the rest is made behind it */
}

/* In milliseconds.  To list a call tree takes longer than a setting should: but
 * else it is the question that waits as long. */
static unsigned longest_wait(const struct shell *s)
{
	return s->config.view.call_tree ? 1500 : 450;
}

/*
 * Before the next line is typed, there is time for what options have changed.
 * The prompt waits for it, as long as nobody has gone on typing and a setting
 * is not what takes long; and not at all behind a report, which somebody reads.
 */
static void settle(struct shell *s, const struct editor *editor)
{
	const struct timespec end = time_in(longest_wait(s));
	struct timespec until;
	struct ahead *ahead = work_ahead(s, true);

	if (s->answered)
		return;
	if (ahead)
		prepare_stacks(ahead_profile(ahead));
	do
		until = time_in(20);
	while (!ahead_settle(ahead, &until) && is_before(&until, &end) &&
	       !editor_has_input(editor));
}

/* The next line; a script's are there already. */
static const char *next_line(struct shell *s, struct editor *editor)
{
	if (s->changed && !editor_has_input(editor))
		settle(s, editor);
	return editor_read(editor);
}

int shell_run(struct profile *p, const struct config *config, struct error *err)
{
	struct shell s = { .profile = p, .config = *config };
	struct editor *editor = editor_open("(pprof) ", complete, &s);
	const char *line;

	if (!editor)
		return error_set(err, -ENOMEM, "out of memory");
	s.config.view.compact_labels = true;
	stacktab_lay_out(&p->stacks);
	begin(&s);
	while (!s.left && (line = next_line(&s, editor))) {
		execute_line(&s, line);
		arena_release(&s.line);
	}
	editor_close(editor);
	viewers_release(&s.viewers);
	selections_release(&s.selections);
	arena_release(&s.values);
	arena_release(&s.line);
	return 0;
}
