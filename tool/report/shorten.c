/* SPDX-License-Identifier: MIT */
/*
 * Shortening of names by language.  pprof does this with five regular
 * expressions; they are written out here, since every name of a picture goes
 * through them.
 */
#include "report/shorten.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

static bool is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_word(uint8_t c)
{
	return is_lower(c) || is_upper(c) || (c >= '0' && c <= '9') || c == '_';
}

static uint8_t at(struct span s, size_t i)
{
	return i < s.len ? s.at[i] : 0;
}

static struct span from(struct span s, size_t start)
{
	return span_of(s.at + start, s.len - start);
}

/* The end of a run of word characters, and of '$' if dollar, from i on. */
static size_t word_end(struct span s, size_t i, bool dollar)
{
	while (i < s.len && (is_word(s.at[i]) || (dollar && s.at[i] == '$')))
		i++;
	return i;
}

/* The length of "/v2" or such at i if a module version ends there, else 0. */
static size_t version_length(struct span s, size_t i)
{
	size_t digits = i + 2, end = digits;

	if (at(s, i) != '/' || at(s, i + 1) != 'v')
		return 0;
	while (at(s, end) >= '0' && at(s, end) <= '9')
		end++;
	if (end == digits || at(s, digits) == '0' ||
	    (end == digits + 1 && at(s, digits) == '1'))
		return 0;
	return at(s, end) == '.' || at(s, end) == '/' ? end - i : 0;
}

static struct span cut_version(struct span s, struct arena *arena)
{
	char *text;

	if (memchr(s.at, '\n', s.len))
		return s;
	for (size_t i = 0; i < s.len; i++) {
		size_t len = version_length(s, i);

		if (!len)
			continue;
		text = arena_alloc(arena, s.len - len);
		if (!text)
			return s;
		memcpy(text, s.at, i);
		memcpy(text + i, s.at + i + len, s.len - i - len);
		return span_of(text, s.len - len);
	}
	return s;
}

/* "package.rest" from start on, to the end of its line; empty if it is not. */
static struct span go_name(struct span s, size_t start)
{
	struct span rest = from(s, start);
	const uint8_t *dot = memchr(rest.at, '.', rest.len);
	const uint8_t *end;

	if (!dot || dot == rest.at)
		return (struct span){ 0 };
	end = memchr(dot, '\n', rest.len - (size_t)(dot - rest.at));
	if (!end)
		end = rest.at + rest.len;
	if (end == dot + 1)
		return (struct span){ 0 };
	return span_of(rest.at, (size_t)(end - rest.at));
}

/* Cuts the import path: as many "element/" as leave a name. */
static bool shorten_go(struct span *s)
{
	size_t element = 0, i = 0;
	struct span best = { 0 };

	for (; i < s->len; i++) {
		uint8_t c = s->at[i];

		if (c == '/' && i > element) {
			struct span name = go_name(*s, i + 1);

			best = name.len ? name : best;
			element = i + 1;
		} else if (!is_word(c) && c != '-' && c != '.') {
			break;
		}
	}
	if (best.len)
		*s = best;
	return best.len != 0;
}

/* Cuts packages and arguments: "Class.method" or "Class.<init>". */
static bool shorten_java(struct span *s)
{
	size_t start = 0, i;

	while (is_lower(at(*s, start))) {
		i = word_end(*s, start, false);
		if (at(*s, i) != '.')
			return false;
		start = i + 1;
	}
	if (!is_upper(at(*s, start)))
		return false;
	i = word_end(*s, start, true);
	if (at(*s, i) != '.')
		return false;
	i++;
	if (span_starts(from(*s, i), "<init>"))
		i += strlen("<init>");
	else if (is_lower(at(*s, i)))
		i = word_end(*s, i, true);
	else
		return false;
	if (i < s->len && s->at[i] != '(')
		return false;
	*s = span_of(s->at + start, i - start);
	return true;
}

static bool begins_name(uint8_t c)
{
	return c == '_' || is_lower(c) || is_upper(c);
}

/* Behind "name::" at i; 0 if that is not there. */
static size_t behind_scope(struct span s, size_t i)
{
	size_t end;

	if (!begins_name(at(s, i)))
		return 0;
	end = word_end(s, i, false);
	return at(s, end) == ':' && at(s, end + 1) == ':' ? end + 2 : 0;
}

/* Where "Class::method" or "Class::method<...>" at start ends; 0: it is not. */
static size_t method_end(struct span s, size_t start)
{
	size_t i = start, behind = behind_scope(s, start);
	const uint8_t *line, *close;

	while (at(s, i) == '_')
		i++;
	if (!behind || !is_upper(at(s, i)))
		return 0;
	i = behind + (at(s, behind) == '~');
	if (!begins_name(at(s, i)))
		return 0;
	i = word_end(s, i, false);
	if (at(s, i) != '<')
		return i;
	line = memchr(s.at + i, '\n', s.len - i);
	close = memrchr(s.at + i, '>',
			line ? (size_t)(line - s.at) - i : s.len - i);
	return close ? (size_t)(close - s.at) + 1 : i;
}

/* Cuts namespaces, as many as leave a class and a method. */
static bool shorten_cpp(struct span *s)
{
	size_t best = 0, best_end = 0;

	for (size_t i = behind_scope(*s, 0); i; i = behind_scope(*s, i)) {
		size_t end = method_end(*s, i);

		if (end) {
			best = i;
			best_end = end;
		}
	}
	if (best)
		*s = span_of(s->at + best, best_end - best);
	return best != 0;
}

struct span shorten_function(struct span name, struct arena *arena)
{
	static const char anonymous[] = "(anonymous namespace)::";

	if (span_starts(name, anonymous))
		name = from(name, strlen(anonymous));
	if (!name.len)
		return name;
	name = cut_version(name, arena);
	if (!shorten_go(&name) && !shorten_java(&name))
		shorten_cpp(&name);
	return name;
}
