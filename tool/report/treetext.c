/* SPDX-License-Identifier: MIT */
/* See treetext.h. */
#include "report/treetext.h"

#include <errno.h>
#include <string.h>

#include "profile/graph.h"
#include "profile/graph_order.h"
#include "profile/runtree.h"
#include "report/callgrind_text.h"

/* A text, or two that stand together. */
struct text {
	uint32_t where; /* 0: it is not there yet */
	uint16_t len;
	uint8_t rest_len;
};

/* Texts in the making, one behind the other. */
struct card_texts {
	const struct strtab *strings;
	char *start;
	char *at;
	struct text *files;	/* by number */
	struct text *functions; /* by family */
};

/* More than a text has besides a name. */
enum { TEXT_ROOM = 64 };

static struct span name_of(const struct treetext *t, const struct card_texts *x,
			   uint32_t family)
{
	return str_span(x->strings, t->kin.families.at[family].name);
}

/* Whether calls of a family are put together from texts: where there are
 * several functions, and none of those is called again. */
static bool has_text(const struct treetext *t, const struct card_texts *x,
		     uint32_t family)
{
	const struct kin_family *f = &t->kin.families.at[family];

	return f->count > 1 && !f->repeats &&
	       name_of(t, x, family).len <= TREE_LONGEST_NAME;
}

/* What comes before the number of a function. */
static const struct text *file_text(struct card_texts *x, uint32_t number)
{
	struct text *text = &x->files[number];
	char *from = x->at;

	if (text->where)
		return text;
	x->at = add_reference(from, "cfl=", number);
	x->at = add_text(x->at, "cfn=(");
	text->where = (uint32_t)(from - x->start);
	text->len = (uint16_t)(x->at - from);
	return text;
}

/* And what comes before and behind its number among its family. */
static const struct text *function_text(const struct treetext *t,
					struct card_texts *x, uint32_t family)
{
	struct text *text = &x->functions[family];
	struct span name = name_of(t, x, family);
	char *from = x->at;

	if (text->where)
		return text;
	x->at = add_text(from, ") ");
	memcpy(x->at, name.at, name.len);
	x->at = add_text(x->at + name.len, " [");
	text->where = (uint32_t)(from - x->start);
	text->len = (uint16_t)(x->at - from);
	from = x->at;
	*x->at++ = '/';
	x->at = add_number(x->at, t->kin.families.at[family].count);
	x->at = add_text(x->at, "]\ncalls=0 ");
	text->rest_len = (uint8_t)(x->at - from);
	return text;
}

/* The texts of a card's calls. */
static void add_texts(const struct treetext *t, struct card_texts *x,
		      struct tree_card *card, node_id node)
{
	const struct node_info *info = &t->nodes->info.at[node];
	const struct text *file = file_text(x,
					    t->names.files[info->file].number);
	const struct text *function = function_text(t, x, t->kin.family[node]);

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

static void write_card(const struct treetext *t, struct card_texts *x,
		       struct tree_card *card, node_id node)
{
	const struct node_info *info = &t->nodes->info.at[node];
	const struct mention *file = &t->names.files[info->file];

	*card = (struct tree_card){
		.address = info->address,
		.to_turn = t->list.to_turn[node],
		.file_place = file->place,
		.file_by = file->by,
	};
	if (has_text(t, x, t->kin.family[node]) && add_place(card, info))
		add_texts(t, x, card, node);
}

/* The most that all texts can take. */
static size_t texts_size(const struct treetext *t, const struct card_texts *x)
{
	size_t size = TEXT_ROOM + TREE_STRIDE;

	for (uint32_t i = 1; i < t->kin.families.count; i++)
		if (has_text(t, x, i))
			size += 2 * TEXT_ROOM + name_of(t, x, i).len;
	return size;
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

static int make_cards(struct treetext *t, const struct strtab *strings,
		      struct arena *scratch)
{
	uint32_t count = t->nodes->info.count;
	struct card_texts x = {
		.strings = strings,
		/* No family has more than one file. */
		.files = ARENA_ARRAY(scratch, struct text,
				     (size_t)t->kin.families.count + 1),
		.functions = ARENA_ARRAY(scratch, struct text,
					 t->kin.families.count),
	};
	size_t size = texts_size(t, &x);

	if (size > UINT32_MAX)
		return -ENOTSUP;
	t->cards = new_cards(&t->arena, count);
	t->texts = x.start = arena_alloc(&t->arena, size);
	if (scratch->failed || !t->cards || !x.start)
		return -ENOMEM;
	x.at = x.start + 1; /* 0 is no text */
	for (node_id n = 1; n < count; n++)
		write_card(t, &x, &t->cards[n], n);
	return 0;
}

/* Puts the names of nodes in order, unless they are; NULL: no memory. */
static const uint32_t *rank_nodes(const struct graph_request *q,
				  struct arena *arena)
{
	struct trimmed names = {
		.request = q,
		.arena = arena,
		.ranks = q->nodes->ranks,
	};

	if (names.ranks)
		return names.ranks;
	names.names = ARENA_ARRAY(arena, struct span, q->nodes->info.count);
	if (!names.names || graph_rank_names(&names, arena) < 0)
		return NULL;
	return names.ranks;
}

static int make_list(struct treetext *t, const struct graph_request *q)
{
	struct arena scratch = { 0 };
	const struct treelist_kin kin = {
		.ranks = rank_nodes(q, &scratch),
		.of = t->kin.family,
		.nodes = q->nodes->info.count,
		.kinds = t->kin.families.count,
	};
	struct runtree runs;
	int r = kin.ranks ? runtree_make(&runs, q, &scratch) : -ENOMEM;

	if (r == 0 && !graph_pacer_ask(q->pacer))
		r = -ECANCELED;
	if (r == 0)
		r = treelist_make(&t->list, &runs, &kin, q->workers, &t->arena);
	if (r == 0)
		r = treekin_count(&t->kin, &t->list, runs.count, &t->arena);
	arena_release(&scratch);
	return r == -EFBIG ? -ENOTSUP : r;
}

static int make(struct treetext *t, const struct graph_request *q)
{
	const struct strtab *strings = q->profile->strings;
	struct arena scratch = { 0 };
	int64_t total;
	int r;

	if (q->value.mean || !graph_sum_positive(q, &total))
		return -ENOTSUP;
	r = treekin_make(&t->kin, q->nodes, &t->arena);
	if (r == 0)
		r = make_list(t, q);
	if (r == 0 && !graph_pacer_ask(q->pacer))
		r = -ECANCELED;
	if (r < 0)
		return r;
	t->names = (struct treenames){
		.list = &t->list,
		.kin = &t->kin,
		.nodes = q->nodes,
	};
	r = treenames_make(&t->names, q->workers, strings->strings.count,
			   &t->arena);
	if (r == 0)
		r = make_cards(t, strings, &scratch);
	arena_release(&scratch);
	return r;
}

int treetext_make(struct treetext *t, const struct graph_request *q)
{
	int r;

	*t = (struct treetext){ .nodes = q->nodes };
	r = make(t, q);
	if (r < 0)
		treetext_release(t);
	return r;
}

void treetext_release(struct treetext *t)
{
	arena_release(&t->arena);
}
