/* SPDX-License-Identifier: MIT */
/*
 * What the page says about a recording: what it is of, when and how it was
 * made, and what is missing from it.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/sink.h"
#include "profile/loss.h"
#include "profile/profile.h"
#include "report/context.h"
#include "serve/columns_parts.h"

static void put_number(struct columns *c, const char *key, int64_t value)
{
	json_key(&c->json, key);
	json_int(&c->json, value);
}

static void put_string(struct columns *c, const char *key, str_id id)
{
	if (id)
		columns_put_text(c, key, str_span(c->profile->strings, id));
}

/* Texts in a list, each by itself. */
static void put_texts(struct columns *c, const char *key, struct span lines)
{
	json_key(&c->json, key);
	json_open(&c->json, '[');
	while (lines.len) {
		const uint8_t *end = memchr(lines.at, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.at) : lines.len;

		json_span(&c->json, span_part(lines, 0, len));
		len += end != NULL;
		lines = span_part(lines, len, lines.len - len);
	}
	json_close(&c->json, ']');
}

static void put_losses(struct columns *c)
{
	struct sink text = sink_to_memory(c->arena);

	loss_write(&c->profile->loss, &text);
	put_texts(c, "losses", sink_bytes(&text));
}

static void put_comments(struct columns *c)
{
	const struct profile *p = c->profile;

	json_key(&c->json, "comments");
	json_open(&c->json, '[');
	for (uint32_t i = 0; i < p->comments.count; i++)
		json_uint(&c->json, columns_string(c, p->comments.at[i]));
	json_close(&c->json, ']');
}

/* Addresses by mapping: how many, and how many without a name. */
struct named {
	uint32_t all;
	uint32_t unnamed;
};

static void put_mapping(struct columns *c, const struct mapping *m,
			const struct named *n)
{
	if (!n->all)
		return;
	json_open(&c->json, '{');
	put_string(c, "file", m->file);
	put_string(c, "build", m->build_id);
	put_number(c, "addresses", n->all);
	put_number(c, "unnamed", n->unnamed);
	json_close(&c->json, '}');
}

static int put_mappings(struct columns *c)
{
	const struct profile *p = c->profile;
	struct named *n = ARENA_ARRAY(c->arena, struct named,
				      p->mappings.count);

	if (!n)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->locations.count; i++) {
		const struct location *l = &p->locations.at[i];

		n[l->mapping].all++;
		n[l->mapping].unnamed += !l->line_count;
	}
	json_key(&c->json, "mappings");
	json_open(&c->json, '[');
	for (uint32_t i = 0; i < p->mappings.count; i++)
		put_mapping(c, &p->mappings.at[i], &n[i]);
	json_close(&c->json, ']');
	return 0;
}

static void put_header(struct columns *c)
{
	const struct profile_header *h = &c->profile->header;

	put_number(c, "time", h->time_nanos);
	put_number(c, "duration", h->duration_nanos);
	put_number(c, "period", h->period);
	put_string(c, "periodType", h->period_type.type);
	put_string(c, "periodUnit", h->period_type.unit);
}

int columns_put_about(struct columns *c)
{
	const struct profile *p = c->profile;
	uint32_t usual = 0;

	json_key(&c->json, "version");
	json_uint(&c->json, PAGEFILE_VERSION);
	if (c->options->name)
		columns_put_text(c, "name", span_text(c->options->name));
	if (p->mappings.count > 1)
		put_string(c, "program", p->mappings.at[1].file);
	json_key(&c->json, "compare");
	json_bool(&c->json, c->options->compare);
	json_key(&c->json, "counts");
	json_open(&c->json, '[');
	json_uint(&c->json, c->options->counts[0]);
	json_uint(&c->json, c->options->counts[1]);
	json_close(&c->json, ']');
	/* Without types there is no usual one, and nothing to show either. */
	(void)sample_index_find(p, NULL, &usual, NULL);
	put_number(c, "usualType", usual);
	put_number(c, "samples", p->sample_count);
	put_header(c);
	put_losses(c);
	put_comments(c);
	return put_mappings(c);
}
