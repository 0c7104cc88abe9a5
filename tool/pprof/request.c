/* SPDX-License-Identifier: MIT */
/* See request.h. */
#include "pprof/request.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "pprof/gosyntax.h"
#include "pprof/verbs.h"

#define SHELL_NODECOUNT 10 /* of top, which would fill the screen */

int words_split(struct words *w, struct arena *arena, const char *line)
{
	*w = (struct words){ 0 };
	for (;;) {
		const char *end;
		char **word;

		while (isspace((unsigned char)*line))
			line++;
		if (!*line)
			return 0;
		for (end = line; *end && !isspace((unsigned char)*end);)
			end++;
		word = VEC_PUSH(&w->at, arena);
		if (!word)
			return -ENOMEM;
		*word = arena_text(arena, line, (size_t)(end - line));
		if (!*word)
			return -ENOMEM;
		line = end;
	}
}

/* Where the words of a line are being read into a request. */
struct parse {
	struct request *request;
	struct arena *arena;
	const struct words *words;
	uint32_t next;
	const char *focus;
	const char *ignore;
	struct error *err;
};

static int out_of_memory(struct parse *p)
{
	return error_set(p->err, -ENOMEM, "out of memory");
}

static int unknown(struct parse *p, const char *name)
{
	const char *value = p->next < p->words->at.count
				    ? p->words->at.at[p->next]
				    : "<val>";
	char quoted[200];

	if (option_find(name) || choice_find(name))
		return error_set(p->err, -EINVAL, "did you mean: %s=%s", name,
				 value);
	go_quote(name, quoted, sizeof(quoted));
	return error_set(p->err, -EINVAL, "unrecognized command: %s", quoted);
}

/* A count, for this report alone; false if word is none. */
static bool take_count(struct parse *p, const char *word)
{
	int64_t count;

	if (go_parse_int(word, false, 32, &count) < 0)
		return false;
	p->request->config.view.nodecount = (int)count;
	return true;
}

/* Expressions given one after the other: any of them may match. */
static int add_regex(struct parse *p, const char **regex, const char *more)
{
	struct sink out = sink_to_memory(p->arena);

	if (!**regex || !*more) {
		*regex = **regex ? *regex : more;
		return 0;
	}
	sink_format(&out, "%s|%s%c", *regex, more, 0);
	if (out.error)
		return out_of_memory(p);
	*regex = (const char *)sink_bytes(&out).at;
	return 0;
}

/* The first word: a verb, perhaps with a count at its end. */
static int take_verb(struct parse *p)
{
	char *name = p->words->at.at[p->next++];
	size_t len = strlen(name);
	const char *digits;
	char *stem;

	p->request->verb = verb_find(name);
	if (p->request->verb)
		return 0;
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	digits = name + len;
	if (!len || !*digits)
		return unknown(p, name);
	stem = arena_text(p->arena, name, len);
	if (!stem)
		return out_of_memory(p);
	p->request->verb = verb_find(stem);
	if (!p->request->verb)
		return unknown(p, stem);
	if (p->request->verb->takes_regex)
		p->request->argument = digits;
	else if (!take_count(p, digits))
		return add_regex(p, &p->focus, digits); /* too large */
	return 0;
}

static int take_argument(struct parse *p)
{
	if (!p->request->verb->takes_regex || p->request->argument)
		return 0;
	if (p->next == p->words->at.count)
		return error_set(p->err, -EINVAL,
				 "command %s requires an argument",
				 p->request->verb->name);
	p->request->argument = p->words->at.at[p->next++];
	return 0;
}

static int take_file(struct parse *p, const char *name)
{
	if (!*name && p->next == p->words->at.count)
		return error_set(p->err, -EINVAL,
				 "unexpected end of line after >");
	p->request->config.output = *name ? name : p->words->at.at[p->next++];
	return 0;
}

static int take_word(struct parse *p)
{
	const char *word = p->words->at.at[p->next++];

	if (take_count(p, word))
		return 0;
	if (word[0] == '>')
		return take_file(p, word + 1);
	if (word[0] != '-')
		return add_regex(p, &p->focus, word);
	if (!strcmp(word, "-cum") || !strcmp(word, "--cum")) {
		p->request->config.sort = "cum";
		return 0;
	}
	return add_regex(p, &p->ignore, word + 1);
}

static void finish(const struct parse *p)
{
	struct view *v = &p->request->config.view;
	const char *name = p->request->verb->name;
	bool tags = !strcmp(name, "tags");

	if (*p->focus)
		*(tags ? &v->tagfocus : &v->focus) = p->focus;
	if (*p->ignore)
		*(tags ? &v->tagignore : &v->ignore) = p->ignore;
	if (v->nodecount == -1 &&
	    (!strcmp(name, "top") || !strcmp(name, "text")))
		v->nodecount = SHELL_NODECOUNT;
}

int request_parse(struct request *r, const struct words *words,
		  const struct config *config, struct arena *arena,
		  struct error *err)
{
	struct parse p = {
		.request = r,
		.arena = arena,
		.words = words,
		.focus = "",
		.ignore = "",
		.err = err,
	};
	int result;

	*r = (struct request){ .config = *config };
	result = take_verb(&p);
	if (result == 0)
		result = take_argument(&p);
	while (result == 0 && p.next < words->at.count)
		result = take_word(&p);
	if (result == 0)
		finish(&p);
	return result;
}
