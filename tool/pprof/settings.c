/* SPDX-License-Identifier: MIT */
/* See settings.h. */
#include "pprof/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "pprof/config.h"
#include "pprof/request.h"
#include "pprof/talk.h"
#include "pprof/usage.h"
#include "pprof/verbs.h"
#include "profile/profile.h"

#define NAME_WIDTH  25
#define VALUE_WIDTH 20
#define TEXT_SIZE   4096

static int by_name(const void *a, const void *b)
{
	const struct option *const *x = a;
	const struct option *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Characters, as far as UTF-8 tells. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void put_padded(struct sink *out, const char *text, size_t width)
{
	size_t used = text_width(text);

	sink_text(out, text);
	sink_repeat(out, ' ', used < width ? width - used : 0);
}

/* "[a | b]" of the choices of an option, by name. */
static void put_choices(struct sink *out, const struct option *o)
{
	const char *names[8];
	unsigned count = 0;

	for (unsigned i = 0; i < choice_count; i++)
		if (!strcmp(choices[i].option, o->name))
			names[count++] = choices[i].name;
	qsort(names, count, sizeof(names[0]), by_text);
	for (unsigned i = 0; i < count; i++)
		sink_format(out, "%s%s", i ? " | " : "//: [", names[i]);
	sink_char(out, ']');
}

static void put_types(struct sink *out, const struct profile *p,
		      const char *before, const char *between)
{
	sink_text(out, before);
	for (uint32_t i = 0; i < p->types.count; i++)
		sink_format(out, "%s%s", i ? between : "",
			    profile_text(p, p->types.at[i].type));
	sink_char(out, ']');
}

/* What is shown for no value at all. */
static const char *instead(const struct option *o, const struct profile *p)
{
	uint32_t types = p->types.count;

	if (!strcmp(o->name, "granularity"))
		return "(default)";
	if (!strcmp(o->name, "sample_index") && types)
		return profile_text(p, p->types.at[types - 1].type);
	return "\"\"";
}

static void put_option(struct sink *out, const struct config *c,
		       const struct option *o, const struct profile *p)
{
	char value[TEXT_SIZE];

	config_get(c, o, value, sizeof(value));
	sink_text(out, "  ");
	put_padded(out, o->name, NAME_WIDTH);
	sink_text(out, " = ");
	put_padded(out, value[0] ? value : instead(o, p), VALUE_WIDTH);
	sink_char(out, ' ');
	if (o->kind == FLAG_CHOICE)
		put_choices(out, o);
	else if (!strcmp(o->name, "sample_index"))
		put_types(out, p, "//: [", " | ");
	else if (!strcmp(o->name, "nodecount") && !strcmp(value, "-1"))
		sink_text(out, "//: default");
	sink_char(out, '\n');
}

void settings_show(const struct config *c, const struct profile *p,
		   struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	const struct option **rows = ARENA_ARRAY(arena, const struct option *,
						 option_count);
	unsigned count = 0;

	for (unsigned i = 0; rows && i < option_count; i++)
		if (strcmp(options[i].name, "source_path") != 0)
			rows[count++] = &options[i];
	if (rows)
		qsort(rows, count, sizeof(*rows), by_name);
	for (unsigned i = 0; i < count; i++)
		put_option(&out, c, rows[i], p);
	talk_text(sink_bytes(&out));
}

static void put_help(struct sink *out, const char *summary, const char *more)
{
	sink_char(out, (char)toupper((unsigned char)summary[0]));
	sink_format(out, "%s\n%s", summary + 1, more);
}

static void put_option_help(struct sink *out, const struct option *o,
			    const struct profile *p)
{
	put_help(out, o->summary, o->more);
	if (!strcmp(o->name, "sample_index")) {
		put_types(out, p, "This profile has [", " ");
		sink_char(out, '\n');
	}
	sink_char(out, '\n');
}

/* The words behind "help", as one name. */
static const char *joined(const struct words *words, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);

	for (uint32_t i = 1; i < words->at.count; i++)
		sink_format(&out, "%s%s", i > 1 ? " " : "", words->at.at[i]);
	sink_char(&out, '\0');
	return out.error ? "" : (const char *)sink_bytes(&out).at;
}

void settings_help(const struct profile *p, const struct words *words,
		   struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	const char *name = joined(words, arena);
	const struct verb *verb = verb_find(name);
	const struct option *option = option_find(name);
	const struct choice *choice = choice_find(name);

	if (!*name)
		usage_shell(&out);
	else if (verb)
		verb_help(verb, &out);
	else if (option)
		put_option_help(&out, option, p);
	else if (choice)
		put_help(&out, choice->summary, choice->more);
	else
		sink_format(&out, "Unknown command: %s\n", name);
	talk_text(sink_bytes(&out));
}
