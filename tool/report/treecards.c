/* SPDX-License-Identifier: MIT */
/*
 * See treecards.h.  Texts are made by one thread, family by family, and cards
 * by all.
 */
#include "report/treecards.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/workers.h"
#include "report/callgrind_text.h"
#include "report/treenames.h"

/* A text, or two that stand together. */
struct text {
	uint32_t where; /* 0: it is not there */
	uint16_t len;
	uint8_t rest_len;
};

/* Cards in the making.  Of the texts, those of files are read for each call and
 * few enough to stay near the processor, so they stand together. */
struct maker {
	struct treecards *c;
	const struct treenames *names;
	const struct strtab *strings;
	unsigned parts;
	char *start;		/* of all texts */
	char *file_at;		/* where the next goes */
	char *at;		/* and the next one of a function */
	struct text *files;	/* by number */
	struct text *functions; /* by family */
};

enum {
	FILE_ROOM = 32, /* more than the text of a file has */
	TEXT_ROOM = 64, /* and others, besides a name */
};

static const struct kin_family *family_of(const struct maker *m,
					  uint32_t family)
{
	return &m->names->kin->families.at[family];
}

static struct span name_of(const struct maker *m, uint32_t family)
{
	return str_span(m->strings, family_of(m, family)->name);
}

/* Whether calls of a family are put together from texts: where there are
 * several functions, and none of those is called again. */
static bool has_text(const struct maker *m, uint32_t family)
{
	const struct kin_family *f = family_of(m, family);

	return f->count > 1 && !f->repeats &&
	       name_of(m, family).len <= TREE_LONGEST_NAME;
}

/* What comes before the number of a function. */
static void add_file_text(struct maker *m, uint32_t number)
{
	struct text *text = &m->files[number];
	char *from = m->file_at;

	if (text->where)
		return;
	m->file_at = add_reference(from, "cfl=", number);
	m->file_at = add_text(m->file_at, "cfn=(");
	text->where = (uint32_t)(from - m->start);
	text->len = (uint16_t)(m->file_at - from);
}

/* And what comes before and behind its number among its family. */
static void add_function_text(struct maker *m, uint32_t family)
{
	struct text *text = &m->functions[family];
	struct span name = name_of(m, family);
	char *from = m->at;

	m->at = add_text(from, ") ");
	memcpy(m->at, name.at, name.len);
	m->at = add_text(m->at + name.len, " [");
	text->where = (uint32_t)(from - m->start);
	text->len = (uint16_t)(m->at - from);
	from = m->at;
	*m->at++ = '/';
	m->at = add_number(m->at, family_of(m, family)->count);
	m->at = add_text(m->at, "]\ncalls=0 ");
	text->rest_len = (uint8_t)(m->at - from);
}

/* The number of a family's file. */
static uint32_t file_of(const struct maker *m, uint32_t family)
{
	return m->names->files[family_of(m, family)->file].number;
}

/* Room for all texts.  No family has more than one file. */
static int make_room_for_texts(struct maker *m, struct arena *arena)
{
	uint32_t families = m->names->kin->families.count;
	size_t files = (size_t)families * FILE_ROOM;
	size_t size = files + TEXT_ROOM + TREE_STRIDE;

	for (uint32_t i = 1; i < families; i++)
		if (has_text(m, i))
			size += TEXT_ROOM + name_of(m, i).len;
	if (size > UINT32_MAX)
		return -ENOTSUP;
	m->start = arena_alloc(arena, size);
	if (!m->start)
		return -ENOMEM;
	m->file_at = m->start + 1; /* 0 is no text */
	m->at = m->start + files;
	m->c->texts = m->start;
	return 0;
}

static int make_texts(struct maker *m, struct arena *scratch)
{
	uint32_t families = m->names->kin->families.count;

	m->files = ARENA_ARRAY(scratch, struct text, (size_t)families + 1);
	m->functions = ARENA_ARRAY(scratch, struct text, families);
	if (!m->files || !m->functions)
		return -ENOMEM;
	for (uint32_t i = 1; i < families; i++) {
		if (!has_text(m, i))
			continue;
		add_file_text(m, file_of(m, i));
		add_function_text(m, i);
	}
	return 0;
}

/* The texts of a card's calls. */
static void refer_to_texts(const struct maker *m, struct tree_card *card,
			   uint32_t family)
{
	const struct text *file = &m->files[file_of(m, family)];
	const struct text *function = &m->functions[family];

	card->file = file->where;
	card->file_len = (uint8_t)file->len;
	card->function = function->where;
	card->function_len = function->len;
	card->rest_len = function->rest_len;
}

/* What is said of an entry's place; false: it is too long for a card. */
static bool add_place(struct tree_card *card, const struct node_info *info)
{
	char text[TEXT_ROOM];
	char *line = add_hex(text, info->address);
	char *at = line;

	*at++ = ' ';
	at = add_number(at, info->line);
	at = add_text(at, "\n* * ");
	if ((size_t)(at - text) > sizeof(card->address_line))
		return false;
	memcpy(card->address_line, text, (size_t)(at - text));
	card->address_len = (uint8_t)(line - text);
	card->line_len = (uint8_t)(at - line);
	return true;
}

static void write_card(const struct maker *m, node_id node)
{
	const struct treenames *n = m->names;
	const struct node_info *info = &n->nodes->info.at[node];
	const struct mention *file = &n->files[info->file];
	uint32_t family = n->kin->family[node];
	struct tree_card *card = &m->c->at[node];

	*card = (struct tree_card){
		.address = info->address,
		.to_turn = n->list->to_turn[node],
		.file_place = file->place,
		.file_by = file->by,
	};
	if (m->functions[family].where && add_place(card, info))
		refer_to_texts(m, card, family);
}

static void write_share(void *context, unsigned number)
{
	const struct maker *m = context;
	uint64_t count = m->names->nodes->info.count;
	node_id end = (node_id)(count * (number + 1) / m->parts);

	for (node_id n = (node_id)(count * number / m->parts); n < end; n++)
		write_card(m, n);
}

/* Room for cards, each in a line of memory of its own, and for what may be read
 * behind the last. */
static struct tree_card *new_cards(struct arena *arena, size_t count)
{
	const size_t line = sizeof(struct tree_card);
	char *room = arena_array(arena, count + 2, line);

	if (!room)
		return NULL;
	return (void *)(room + (line - (uintptr_t)room % line) % line);
}

int treecards_make(struct treecards *c, const struct treenames *names,
		   const struct strtab *strings, const struct workers *workers,
		   struct arena *arena)
{
	struct arena scratch = { 0 };
	struct maker m = {
		.c = c,
		.names = names,
		.strings = strings,
		.parts = workers_parts(workers),
	};
	int r = make_room_for_texts(&m, arena);

	c->at = new_cards(arena, names->nodes->info.count);
	if (r == 0)
		r = c->at ? make_texts(&m, &scratch) : -ENOMEM;
	if (r == 0)
		workers_run(workers, write_share, &m);
	arena_release(&scratch);
	return r;
}
