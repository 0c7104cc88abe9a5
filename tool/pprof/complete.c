/* SPDX-License-Identifier: MIT */
/* See complete.h. */
#include "pprof/complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/editor.h"
#include "pprof/verbs.h"
#include "profile/profile.h"

/* More than anybody reads. */
#define FUNCTIONS_MAX 400

struct completion {
	const struct profile *profile;
	struct arena *arena;
	const char *word; /* the part of the line that is to be completed */
	struct candidates *out;
};

static void offer(struct completion *c, const char *text)
{
	const char **row = VEC_PUSH(&c->out->at, c->arena);

	if (row)
		*row = text;
}

/* name, with end behind it, if it begins as the word does. */
static void offer_prefix(struct completion *c, const char *name,
			 const char *end)
{
	struct sink out = sink_to_memory(c->arena);

	if (strncmp(name, c->word, strlen(c->word)) != 0)
		return;
	sink_format(&out, "%s%s%c", name, end, 0);
	if (!out.error)
		offer(c, (const char *)sink_bytes(&out).at);
}

static void offer_types(struct completion *c, const char *end)
{
	for (uint32_t i = 0; i < c->profile->types.count; i++)
		offer_prefix(
			c,
			profile_text(c->profile, c->profile->types.at[i].type),
			end);
}

static void offer_verbs(struct completion *c)
{
	for (unsigned i = 0; i < verb_count; i++)
		offer_prefix(c, verbs[i].name, " ");
}

static void offer_first_word(struct completion *c)
{
	static const char *const others[] = { "exit", "help", "options",
					      "quit" };

	offer_verbs(c);
	for (unsigned i = 0; i < option_count; i++)
		offer_prefix(c, options[i].name, "=");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		offer_prefix(c, others[i], " ");
	offer_types(c, " ");
}

static void offer_help(struct completion *c)
{
	offer_verbs(c);
	for (unsigned i = 0; i < option_count; i++)
		offer_prefix(c, options[i].name, " ");
	for (unsigned i = 0; i < choice_count; i++)
		offer_prefix(c, choices[i].name, " ");
}

/* A name as an expression that matches it, without spaces, which would end
 * the word. */
static const char *quoted(struct arena *arena, const char *name)
{
	struct sink out = sink_to_memory(arena);

	for (; *name; name++) {
		if (strchr("\\.+*?()|[]{}^$", *name))
			sink_char(&out, '\\');
		sink_char(&out, isspace((unsigned char)*name) ? '.' : *name);
	}
	sink_char(&out, '\0');
	return out.error ? NULL : (const char *)sink_bytes(&out).at;
}

static void offer_functions(struct completion *c)
{
	const struct profile *p = c->profile;

	for (uint32_t i = 1; i < p->functions.count; i++) {
		const char *name = quoted(
			c->arena, profile_text(p, p->functions.at[i].name));

		if (c->out->at.count >= FUNCTIONS_MAX)
			return;
		if (name && *name && strstr(name, c->word))
			offer(c, name);
	}
}

static bool takes_functions(const struct option *o)
{
	static const char *const names[] = {
		"focus", "ignore", "hide", "show", "show_from", "prune_from"
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(o->name, names[i]))
			return true;
	return false;
}

static void offer_values(struct completion *c, const struct option *o)
{
	if (!strcmp(o->name, "sample_index")) {
		offer_types(c, "");
	} else if (takes_functions(o)) {
		offer_functions(c);
	} else if (o->kind == FLAG_BOOL) {
		offer_prefix(c, "true", "");
		offer_prefix(c, "false", "");
	}
	for (unsigned i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].option, o->name))
			offer_prefix(c, choices[i].name, "");
}

/* A copy, or "" when memory ran out: then nothing is offered. */
static const char *part(struct arena *arena, const char *from, const char *to)
{
	const char *text = arena_text(arena, from, (size_t)(to - from));

	return text ? text : "";
}

/* The option that the line assigns to; NULL: it does not. */
static const struct option *assigned(struct arena *arena, const char *line,
				     const char *equals)
{
	const char *end = equals;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	return option_find(part(arena, line, end));
}

/* Verbs that take functions; tags has arguments of its own. */
static bool wants_function(struct arena *arena, const char *line)
{
	const char *end = line;
	const struct verb *v;

	while (*end && !isspace((unsigned char)*end) &&
	       !isdigit((unsigned char)*end))
		end++;
	v = verb_find(part(arena, line, end));
	return v && v->usage != USAGE_NONE && v->usage != USAGE_TAGS;
}

void complete_line(const struct profile *p, struct arena *arena,
		   const char *line, struct candidates *ret)
{
	struct completion c = { .profile = p, .arena = arena, .out = ret };
	const char *equals;
	const struct option *o;

	*ret = (struct candidates){ 0 };
	while (isspace((unsigned char)*line))
		line++;
	equals = strchr(line, '=');
	o = equals ? assigned(arena, line, equals) : NULL;
	c.word = line + strlen(line);
	while (c.word > (o ? equals + 1 : line) &&
	       !isspace((unsigned char)c.word[-1]))
		c.word--;
	if (!o && c.word > line && *c.word == '-')
		c.word++;
	ret->replaced = (unsigned)strlen(c.word);

	if (o)
		offer_values(&c, o);
	else if (c.word == line)
		offer_first_word(&c);
	else if (!strncmp(line, "help", 4) && isspace((unsigned char)line[4]))
		offer_help(&c);
	else if (wants_function(arena, line))
		offer_functions(&c);
}
