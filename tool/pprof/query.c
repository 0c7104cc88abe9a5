/* SPDX-License-Identifier: MIT */
/* See query.h. */
#include "pprof/query.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sink.h"
#include "base/vec.h"
#include "pprof/url.h"

struct parameter {
	const char *name;
	const char *value;
};

struct parameters {
	VEC(struct parameter) rows;
};

/* Broken pairs are dropped, as Go drops them. */
static void add_pair(struct parameters *p, struct arena *arena,
		     const char *pair, size_t len)
{
	const char *equals = memchr(pair, '=', len);
	size_t name_len = equals ? (size_t)(equals - pair) : len;
	struct parameter *row;
	const char *name;
	const char *value = "";

	if (!len || memchr(pair, ';', len))
		return;
	name = url_decode(arena, pair, name_len, true);
	if (equals)
		value = url_decode(arena, equals + 1, len - name_len - 1, true);
	if (!name || !value)
		return;
	row = VEC_PUSH(&p->rows, arena);
	if (row)
		*row = (struct parameter){ .name = name, .value = value };
}

static struct parameters parse_query(const struct url *u, struct arena *arena)
{
	struct parameters p = { 0 };
	const char *at = u->query;

	while (*at) {
		size_t len = strcspn(at, "&");

		add_pair(&p, arena, at, len);
		at += len + (at[len] == '&');
	}
	return p;
}

const char *query_get(const struct url *u, struct arena *arena,
		      const char *name)
{
	struct parameters p = parse_query(u, arena);

	for (uint32_t i = 0; i < p.rows.count; i++)
		if (!strcmp(p.rows.at[i].name, name))
			return p.rows.at[i].value;
	return NULL;
}

/* Puts the value at the place of the first; other values go. */
static void replace(struct parameters *p, struct arena *arena, const char *name,
		    const char *value)
{
	uint32_t kept = 0;
	struct parameter *row;

	for (uint32_t i = 0; i < p->rows.count; i++)
		if (strcmp(p->rows.at[i].name, name) != 0)
			p->rows.at[kept++] = p->rows.at[i];
	p->rows.count = kept;
	row = VEC_PUSH(&p->rows, arena);
	if (row)
		*row = (struct parameter){ .name = name, .value = value };
}

/* By name; few rows, and those of one name stay in order. */
static void sort(struct parameters *p)
{
	for (uint32_t i = 1; i < p->rows.count; i++) {
		struct parameter row = p->rows.at[i];
		uint32_t j = i;

		for (; j && strcmp(p->rows.at[j - 1].name, row.name) > 0; j--)
			p->rows.at[j] = p->rows.at[j - 1];
		p->rows.at[j] = row;
	}
}

static void encode(struct sink *out, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-_.~", *text))
			sink_char(out, *text);
		else if (*text == ' ')
			sink_char(out, '+');
		else
			url_encode_byte(out, (unsigned char)*text);
	}
}

bool query_set(struct url *u, struct arena *arena, const char *name,
	       const char *value)
{
	struct parameters p = parse_query(u, arena);
	struct sink out = sink_to_memory(arena);

	if (value)
		replace(&p, arena, name, value);
	sort(&p);
	for (uint32_t i = 0; i < p.rows.count; i++) {
		if (i)
			sink_char(&out, '&');
		encode(&out, p.rows.at[i].name);
		sink_char(&out, '=');
		encode(&out, p.rows.at[i].value);
	}
	sink_char(&out, '\0');
	if (out.error)
		return false;
	u->query = (const char *)sink_bytes(&out).at;
	return true;
}
