/* SPDX-License-Identifier: MIT */
/*
 * callgrind, of a call tree.  There can be tens of millions of calls in it, so
 * what is said of one is copied together from as few pieces as can be, each
 * asked for some calls ahead.
 */
#include "report/callgrind_tree.h"

#include <errno.h>
#include <string.h>

#include "base/sink.h"
#include "base/workers.h"
#include "report/callgrind_text.h"
#include "report/graphview.h"
#include "report/parts.h"
#include "report/treetext.h"

/* A short text that is written again and again. */
struct known_text {
	char text[TREE_STRIDE - 1];
	uint8_t len;
};

enum { SHORT_DIGITS = 4, SHORT_NUMBERS = 10000 };

/* The digits of a number that has few, the first one first. */
struct short_number {
	char digits[SHORT_DIGITS];
};

struct tree_writer {
	const struct treetext *t;
	const struct strtab *strings;
	struct cost_unit unit;
	struct known_text *costs; /* by weight, with the end of the line */
	struct short_number *short_numbers; /* each by its value */
	struct again *again[WORKERS_MAX];   /* by function */
	char *spare[WORKERS_MAX];	    /* a chunk each */
};

enum {
	ROOM = 4 * TREE_LONGEST_NAME, /* more than one entry or call takes */
	CHUNK = 8 * ROOM,	      /* is taken from a sink at once */
};

/* Text that is being made where it will be written from. */
struct writing {
	struct sink *out;
	char *start;
	char *at;
	char *end;
	char *spare; /* for what nobody will take any more */
};

static void writing_begin(struct writing *w)
{
	w->start = sink_room(w->out, CHUNK);
	if (!w->start)
		w->start = w->spare;
	w->at = w->start;
	w->end = w->start + CHUNK;
}

static void writing_end(struct writing *w)
{
	if (w->start != w->spare)
		sink_filled(w->out, (size_t)(w->at - w->start));
}

/* Makes room for one more. */
static inline void writing_go_on(struct writing *w)
{
	if (w->end - w->at >= ROOM)
		return;
	writing_end(w);
	writing_begin(w);
}

static void add_span(struct writing *w, struct span text)
{
	if (text.len <= TREE_LONGEST_NAME) {
		memcpy(w->at, text.at, text.len);
		w->at += text.len;
		return;
	}
	writing_end(w);
	sink_span(w->out, text);
	writing_begin(w);
}

static char *add_known(char *at, const struct known_text *k)
{
	memcpy(at, k->text, sizeof(k->text));
	return at + k->len;
}

/* Where in the list it is, and what was written before. */
struct spot {
	struct writing w;
	struct again *again;
	const struct node_info *before;
	uint32_t place;
	uint32_t named;	 /* the last number that a name got */
	uint64_t digits; /* of digits_of, the first in the lowest byte */
	uint32_t digits_len;
	uint32_t digits_of;
};

static void add_full(const struct tree_writer *g, struct spot *s,
		     const char *field, uint32_t number, str_id name)
{
	struct writing *w = &s->w;

	w->at = add_text(w->at, field);
	*w->at++ = '(';
	w->at = add_number(w->at, number);
	w->at = add_text(w->at, ") ");
	add_span(w, str_span(g->strings, name));
}

static void add_mention(const struct tree_writer *g, struct spot *s,
			const char *field, const struct mention *m, str_id name,
			uint32_t by)
{
	if (!is_first_mention(m, s->place, by)) {
		s->w.at = add_reference(s->w.at, field, m->number);
		return;
	}
	add_full(g, s, field, m->number, name);
	*s->w.at++ = '\n';
}

/* A name that has no number behind it. */
static void add_name(const struct tree_writer *g, struct spot *s,
		     const char *field, str_id name, uint32_t by)
{
	const struct mention *m = &g->t->names.names[name];

	s->named += is_first_mention(m, s->place, by);
	add_mention(g, s, field, m, name, by);
}

/* One of several functions of its name. */
static void add_function(const struct tree_writer *g, struct spot *s,
			 const struct tree_call *call)
{
	const struct treekin *kin = &g->t->kin;
	uint32_t family = kin->family[call->callee];
	const struct kin_family *f = &kin->families.at[family];
	struct again *again = &s->again[kin->function[call->callee]];
	uint32_t turn = treelist_turn(&g->t->list, call->place,
				      g->t->list.to_turn[call->callee]);
	struct writing *w = &s->w;

	if (again->place == s->place + 1) {
		w->at = add_reference(w->at, "cfn=", again->number);
		return;
	}
	*again = (struct again){ s->place + 1, ++s->named };
	add_full(g, s, "cfn=", s->named, f->name);
	w->at = add_text(w->at, " [");
	w->at = add_number(w->at, treekin_rank(kin, family, turn));
	*w->at++ = '/';
	w->at = add_number(w->at, f->count);
	w->at = add_text(w->at, "]\n");
}

/* A call bit by bit. */
static void add_call(const struct tree_writer *g, struct spot *s,
		     const struct tree_call *call, uint32_t by)
{
	const struct treetext *t = g->t;
	const struct node_info *info = &t->nodes->info.at[call->callee];
	uint32_t family = t->kin.family[call->callee];
	struct writing *w = &s->w;

	add_mention(g, s, "cfl=", &t->names.files[info->file], info->file, by);
	if (t->kin.families.at[family].count > 1)
		add_function(g, s, call);
	else
		add_name(g, s, "cfn=", info->name, by);
	w->at = add_text(w->at, "calls=0 ");
	w->at = add_address(w->at, info->address, s->before);
	*w->at++ = ' ';
	w->at = add_number(w->at, info->line);
	w->at = add_text(w->at, "\n* * ");
	w->at = add_known(w->at, &g->costs[call->weight]);
}

/* Copies some bytes too many, which is less than to count them. */
static inline char *add_piece(char *at, const char *text, uint32_t len)
{
	for (uint32_t i = 0; i < len; i += TREE_STRIDE)
		memcpy(at + i, text + i, TREE_STRIDE);
	return at + len;
}

/* The same where half a stride is mostly enough. */
static inline char *add_short_piece(char *at, const char *text, uint32_t len)
{
	for (uint32_t i = 0; i < len; i += TREE_STRIDE / 2)
		memcpy(at + i, text + i, TREE_STRIDE / 2);
	return at + len;
}

/* A number that has to be made; it is kept if it fits into a word. */
static char *add_new_number(char *at, struct spot *s)
{
	char *end = digits_add(at, s->named);
	size_t len = (size_t)(end - at);

	memcpy(&s->digits, at, sizeof(s->digits));
	s->digits_len = len <= sizeof(s->digits) ? (uint32_t)len : 1;
	s->digits_of = len <= sizeof(s->digits) ? s->named : UINT32_MAX;
	return end;
}

/* The next number of a name.  As long as only the last digit changes there is
 * little to be made. */
static inline char *add_next(char *at, struct spot *s)
{
	unsigned last = 8 * (s->digits_len - 1);

	s->digits += (uint64_t)1 << last;
	if (s->digits_of != s->named++ || (s->digits >> last & 0xff) > '9')
		return add_new_number(at, s);
	s->digits_of = s->named;
	memcpy(at, &s->digits, sizeof(s->digits));
	return at + s->digits_len;
}

/* The address of a card as add_address() writes it.  What is longer is known as
 * text, so it is mostly no more than to copy it. */
static inline char *add_card_address(char *at, const struct tree_card *card,
				     const struct node_info *before)
{
	int64_t step = (int64_t)(card->address - before->address);
	uint64_t size = step < 0 ? -(uint64_t)step : (uint64_t)step;

	memcpy(at, card->address_line, sizeof(card->address_line));
	/* Both have a sign, and 0x is one more. */
	if (1 + digits_count(size) >= card->address_len)
		return at + card->address_len;
	if (!step) {
		*at = '*';
		return at + 1;
	}
	*at = step < 0 ? '-' : '+';
	return digits_add(at + 1, size);
}

/* The number of a function among its family: mostly a short one, which is
 * looked up in less time than it is made. */
static inline char *add_rank(char *at, const struct tree_writer *g,
			     uint32_t rank)
{
	if (rank >= SHORT_NUMBERS)
		return digits_add(at, rank);
	memcpy(at, &g->short_numbers[rank], SHORT_DIGITS);
	return at + 1 + (rank > 9) + (rank > 99) + (rank > 999);
}

/* A call whose texts are known. */
static inline void add_card(const struct tree_writer *g, struct spot *s,
			    const struct tree_call *call,
			    const struct tree_card *card)
{
	const struct treetext *t = g->t;
	const char *function = t->cards.texts + card->function;
	char *at = s->w.at;

	at = add_short_piece(at, t->cards.texts + card->file, card->file_len);
	at = add_next(at, s);
	at = add_piece(at, function, card->function_len);
	at = add_rank(at, g,
		      treelist_turn(&t->list, call->place, card->to_turn) + 1);
	at = add_short_piece(at, function + card->function_len, card->rest_len);
	at = add_card_address(at, card, s->before);
	at = add_short_piece(at, card->address_line + card->address_len,
			     card->line_len);
	s->w.at = add_known(at, &g->costs[call->weight]);
}

static inline void put_call(const struct tree_writer *g, struct spot *s,
			    const struct tree_call *call, uint32_t by)
{
	const struct tree_card *card = &g->t->cards.at[call->callee];

	/* Unless it says more than others: the very first, or a new file. */
	if (card->file && s->before &&
	    (card->file_place != s->place || card->file_by != by))
		add_card(g, s, call, card);
	else
		add_call(g, s, call, by);
	writing_go_on(&s->w);
}

/* What brings something near.  Always inlined, because gcc drops calls of
 * functions that do nothing but prefetch. */
#define ASKING __attribute__((always_inline)) static inline void

ASKING ask_card(const struct treetext *t, node_id callee)
{
	__builtin_prefetch(&t->cards.at[callee]);
}

ASKING ask_text(const struct treetext *t, node_id callee)
{
	const struct tree_card *card = &t->cards.at[callee];
	const char *text = t->cards.texts + card->function;

	__builtin_prefetch(text);
	__builtin_prefetch(text + 64);
	__builtin_prefetch(t->cards.texts + card->file);
}

/* The cards of the first calls at the end of a run. */
ASKING ask_first_calls(const struct treetext *t, uint32_t run)
{
	enum { FIRST = 4 };
	const struct treelist *l = &t->list;
	uint32_t first = l->first_call[run];
	uint32_t end = l->first_call[run + 1];

	for (uint32_t i = first; i < end && i < first + FIRST; i++)
		ask_card(t, l->calls[i].callee);
}

/* Of rows some places behind this one. */
ASKING ask_ahead(const struct treetext *t, const struct treelist *l,
		 uint32_t place)
{
	enum { CARDS = 20, TEXTS = 10 };
	uint64_t number = place - l->spender_count;
	struct tree_call row = treelist_row(l, number + CARDS);

	_Static_assert((int)CARDS < (int)TREELIST_AHEAD, "rows are there");
	treelist_ask_ahead(l, place);
	if (row.callee)
		ask_card(t, row.callee);
	row = treelist_row(l, number + TEXTS);
	if (row.callee)
		ask_text(t, row.callee);
	else
		ask_first_calls(t, row.place);
}

/* An entry that comes later, and the names of one that comes sooner. */
ASKING ask_entries(const struct treetext *t, node_id later, node_id sooner)
{
	const struct node_info *info = &t->nodes->info.at[sooner];

	__builtin_prefetch(&t->nodes->info.at[later]);
	__builtin_prefetch(&t->names.names[info->name]);
	__builtin_prefetch(&t->names.files[info->file]);
}

/* The same for spenders, few of which call anybody. */
ASKING ask_spender(const struct treetext *t, uint32_t place)
{
	enum { ENTRIES = 16, NAMES = 8 };
	const struct treelist *l = &t->list;
	const struct tree_spender *s = &l->spenders[place];

	treelist_ask_ahead(l, place);
	if (place + ENTRIES >= l->spender_count)
		return;
	ask_entries(t, s[ENTRIES].entry, s[NAMES].entry);
	ask_first_calls(t, s[NAMES].run);
}

/* And for the first row of an entry. */
ASKING ask_entry(const struct treetext *t, struct treelist_cursor c)
{
	enum { ENTRIES = 8, NAMES = 4 };
	const struct treelist *l = &t->list;
	const node_id *entry = &l->entries[c.index];

	ask_ahead(t, l, c.place);
	if (l->entry_count - c.index > ENTRIES)
		ask_entries(t, entry[ENTRIES], entry[NAMES]);
}

ASKING ask_for_node(const struct treetext *t, struct treelist_cursor c)
{
	if (c.place < t->list.spender_count)
		ask_spender(t, c.place);
	else
		ask_entry(t, c);
}

static void put_calls(const struct tree_writer *g, struct spot *s,
		      const struct tree_call *calls, uint32_t count)
{
	enum { CARDS = 4, TEXTS = 2 };

	for (uint32_t i = 0; i < count; i++) {
		if (count - i > CARDS)
			ask_card(g->t, calls[i + CARDS].callee);
		if (count - i > TEXTS)
			ask_text(g->t, calls[i + TEXTS].callee);
		put_call(g, s, &calls[i], i + 1);
	}
}

static void put_names(const struct tree_writer *g, struct spot *s,
		      const struct node_info *info)
{
	const struct treenames *n = &g->t->names;

	*s->w.at++ = '\n';
	add_mention(g, s, "ob=", &n->objects[info->object], info->object, 0);
	add_mention(g, s, "fl=", &n->files[info->file], info->file, 0);
	add_name(g, s, "fn=", info->name, 0);
	writing_go_on(&s->w);
}

/* What a node spends, and the end of its line. */
static inline char *add_own(const struct tree_writer *g, char *at, uint64_t own)
{
	if (own)
		at = add_number(at, cost_in_unit(&g->unit, (int64_t)own));
	else
		*at++ = '0';
	*at++ = '\n';
	return at;
}

/* The same of a row: at the end of a last run it is all that it weighs. */
static inline char *add_row_own(const struct tree_writer *g, char *at,
				const struct tree_call *row)
{
	const struct treelist *l = &g->t->list;
	uint64_t own = treelist_row_own(l, row);

	if (own && own == l->weights[row->weight])
		return add_known(at, &g->costs[row->weight]);
	return add_own(g, at, own);
}

static void put_node(const struct tree_writer *g, struct spot *s,
		     struct treelist_cursor c)
{
	const struct treelist *l = &g->t->list;
	const struct node_info *info =
		&g->t->nodes->info.at[treelist_entry(l, c)];
	const struct node_info *before = s->before;
	struct tree_call row;
	uint32_t count;
	const struct tree_call *calls = treelist_calls(l, c, &row, &count);
	struct writing *w = &s->w;

	s->place = c.place;
	if (!before || info->object != before->object ||
	    info->file != before->file || info->name != before->name)
		put_names(g, s, info);
	w->at = add_address(w->at, info->address, before);
	*w->at++ = ' ';
	w->at = add_number(w->at, info->line);
	*w->at++ = ' ';
	if (c.place < l->spender_count)
		w->at = add_own(g, w->at, l->spenders[c.place].own);
	else
		w->at = add_row_own(g, w->at, &row);
	writing_go_on(w);
	put_calls(g, s, calls, count);
	s->before = info;
}

/* The line of an entry that is the one before once more, up to what it spends.
 */
static struct known_text same_entry(const struct node_info *info)
{
	struct known_text k = { 0 };
	char *at = add_text(k.text, "* ");

	at = add_number(at, info->line);
	*at++ = ' ';
	k.len = (uint8_t)(at - k.text);
	return k;
}

/* The rest of it, and its calls, where a run ends. */
static void put_end(const struct tree_writer *g, struct spot *s,
		    const struct tree_call *row)
{
	uint32_t count;
	const struct tree_call *calls = treelist_calls_of_run(
		&g->t->list, row->place, &count);

	s->w.at = add_row_own(g, s->w.at, row);
	put_calls(g, s, calls, count);
	writing_go_on(&s->w);
}

/*
 * Nodes of the entry that was written last, from the cursor on up to end.  What
 * is needed of the list is in variables of its own: text is bytes, which may be
 * anything's, so whatever is in memory would be loaded again for each call.
 */
static void put_same(const struct tree_writer *g, struct spot *s,
		     struct treelist_cursor *c, uint32_t end)
{
	const struct treelist l = g->t->list;
	const struct known_text line = same_entry(s->before);
	uint32_t last = l.spender_count + l.starts[c->index + 1];

	if (end > last)
		end = last;
	for (uint32_t place = c->place; place < end; place++) {
		struct tree_call row = treelist_row(&l,
						    place - l.spender_count);

		ask_ahead(g->t, &l, place);
		s->place = place;
		s->w.at = add_known(s->w.at, &line);
		if (!row.callee) {
			put_end(g, s, &row);
			continue;
		}
		memcpy(s->w.at, "0\n", 2);
		s->w.at += 2;
		put_call(g, s, &row, 1);
	}
	c->place = end;
	c->index += end == last;
}

static bool is_same(const struct tree_writer *g, const struct spot *s,
		    struct treelist_cursor c)
{
	const struct treelist *l = &g->t->list;

	return c.place >= l->spender_count &&
	       s->before == &g->t->nodes->info.at[l->entries[c.index]];
}

static void put_block(const struct tree_writer *g, unsigned worker,
		      uint32_t block, struct sink *out)
{
	const struct treetext *t = g->t;
	uint32_t first = block * TREE_BLOCK;
	uint32_t end = treenames_block_end(&t->names, block);
	struct treelist_cursor c = treelist_seek(&t->list,
						 first ? first - 1 : 0);
	struct spot s = {
		.w = { .out = out, .spare = g->spare[worker] },
		.again = g->again[worker],
		.named = t->names.before[block],
		.digits_len = 1,
		.digits_of = UINT32_MAX,
	};

	if (first) {
		s.before = &t->nodes->info.at[treelist_entry(&t->list, c)];
		treelist_step(&t->list, &c);
	}
	writing_begin(&s.w);
	while (c.place < end && !out->error) {
		if (is_same(g, &s, c)) {
			put_same(g, &s, &c, end);
		} else {
			ask_for_node(t, c);
			put_node(g, &s, c);
			treelist_step(&t->list, &c);
		}
	}
	writing_end(&s.w);
}

static int put_blocks(void *context, unsigned worker, uint32_t first,
		      uint32_t end, struct sink *out)
{
	for (uint32_t i = first; i < end; i++)
		put_block(context, worker, i, out);
	return 0;
}

static int make_workspaces(struct tree_writer *g, unsigned workers,
			   struct arena *arena)
{
	for (unsigned i = 0; i < workers; i++) {
		g->again[i] = ARENA_ARRAY(arena, struct again,
					  g->t->kin.functions);
		g->spare[i] = arena_alloc(arena, CHUNK);
	}
	return arena->failed ? -ENOMEM : 0;
}

static int make_costs(struct tree_writer *g, struct arena *arena)
{
	const struct treelist *l = &g->t->list;

	g->costs = ARENA_ARRAY(arena, struct known_text, l->weight_count);
	if (!g->costs)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->weight_count; i++) {
		struct known_text *k = &g->costs[i];
		char *at = add_number(
			k->text,
			cost_in_unit(&g->unit, (int64_t)l->weights[i]));

		*at++ = '\n';
		k->len = (uint8_t)(at - k->text);
	}
	return 0;
}

static int make_short_numbers(struct tree_writer *g, struct arena *arena)
{
	g->short_numbers = ARENA_ARRAY(arena, struct short_number,
				       SHORT_NUMBERS);
	for (uint32_t i = 0; g->short_numbers && i < SHORT_NUMBERS; i++) {
		char digits[DIGITS_MAX];

		(void)digits_add(digits, i); /* where they end is no matter */
		memcpy(&g->short_numbers[i], digits, SHORT_DIGITS);
	}
	return g->short_numbers ? 0 : -ENOMEM;
}

int callgrind_write_tree(const struct treetext *t, struct report_context *c,
			 const struct workers *workers, struct sink *out)
{
	const struct treelist *l = &t->list;
	struct tree_writer g = { .t = t, .strings = c->profile.strings };
	struct parts blocks = {
		.end = t->names.blocks,
		.workers = workers,
		.put = put_blocks,
		.context = &g,
	};
	int r = make_workspaces(&g, workers_parts(workers), c->arena);

	if (r == 0)
		r = make_short_numbers(&g, c->arena);
	if (r < 0)
		return r;
	if (treelist_count(l))
		context_choose_unit(c, (int64_t)l->least, true);
	g.unit = cost_unit_of(c);
	r = make_costs(&g, c->arena);
	if (r < 0)
		return r;
	put_callgrind_header(out, c);
	return parts_write(&blocks, out);
}
