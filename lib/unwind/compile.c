/* SPDX-License-Identifier: MIT */
/*
 * Makes a table of everything that is known about an object: asks each source
 * what it describes, settles who speaks for which address, collects the rows
 * and lays out the image.
 */
#include "unwind/compile.h"

#include <elf.h>
#include <errno.h>

#include "base/error.h"
#include "unwind/build.h"
#include "unwind/cfirows.h"
#include "unwind/golang.h"
#include "unwind/table.h"

enum {
	/* Input numbers beside those of the sections. */
	INPUT_HINTS = 0x10000,
	INPUT_GO,
	/* Padding between functions is not worth a row of its own. */
	SMALL_GAP = 16,
	ROWS_A_PAGE = 8,
	/* What compiling may take beyond a multiple of the sources' size. */
	SPARE_MEMORY = 64 << 20,
	SPARE_BUDGET = 4096,
};

static const uint64_t largest_text = UINT32_MAX & ~0xfffu;

static uint64_t source_size(const struct unwind_source *s)
{
	uint64_t size = (uint64_t)s->n_hints * sizeof(*s->hints);

	for (unsigned i = 0; i < s->n_sections; i++)
		size += s->sections[i].bytes.len + s->sections[i].search.len;
	if (s->go)
		size += s->go->functions.len + s->go->programs.len;
	return size;
}

static void add_input(struct build *b, struct pieces *all, struct pieces *list)
{
	pieces_settle(list, b);
	pieces_fill(all, list, b);
}

static bool is_covered(const struct pieces *all, uint64_t offset)
{
	const struct piece *at = all->at;
	uint32_t count = all->count;

	if (!count)
		return false;
	while (count > 1) {
		uint32_t half = count / 2;

		at = at[half].lo <= offset ? at + half : at;
		count -= half;
	}
	return at->lo <= offset && offset < at->hi;
}

/* A weak hint is about a function; what follows that one is none of its. */
static void index_hints(struct build *b, bool weak, const struct pieces *all,
			struct pieces *list)
{
	for (unsigned i = 0; i < b->source->n_hints; i++) {
		const struct unwind_hint *h = &b->source->hints[i];
		struct piece who = { .input = INPUT_HINTS, .entry = i };

		if (h->weak == weak && !is_covered(all, h->lo - b->base))
			pieces_add(list, b, h->lo, h->hi, who);
	}
}

/* Sections of one of the two kinds. */
static void index_sections(struct build *b, bool debug, struct pieces *all)
{
	for (unsigned i = 0; i < b->source->n_sections; i++) {
		struct pieces list = { 0 };

		if (b->source->sections[i].debug != debug)
			continue;
		cfi_index(b, i, &list);
		add_input(b, all, &list);
	}
}

static struct pieces index_all(struct build *b)
{
	struct pieces all = { 0 };
	struct pieces strong = { 0 };
	struct pieces go = { 0 };
	struct pieces weak = { 0 };

	index_hints(b, false, &all, &strong);
	add_input(b, &all, &strong);
	index_sections(b, false, &all);
	/* Unlike Go's .debug_frame, these know where frame pointers are. */
	if (b->source->go)
		go_index(b, INPUT_GO, &go);
	add_input(b, &all, &go);
	index_sections(b, true, &all);
	index_hints(b, true, &all, &weak);
	add_input(b, &all, &weak);
	return all;
}

static void rows_of(struct build *b, const struct piece *p)
{
	struct span none = { 0 };

	if (p->input == INPUT_HINTS)
		build_row(b, p->lo, b->source->hints[p->entry].rule, none);
	else if (p->input == INPUT_GO)
		go_rows(b, p);
	else
		cfi_rows(b, p->input, p);
}

/* After the last piece and in real gaps nothing is known. */
static void collect_rows(struct build *b, const struct pieces *all)
{
	struct unwind_rule unknown = { .kind = UNWIND_NONE };

	build_start(b);
	for (uint32_t i = 0; i < all->count; i++) {
		const struct piece *p = &all->at[i];
		bool last = i + 1 == all->count;

		rows_of(b, p);
		if (last || p[1].lo - p->hi >= SMALL_GAP)
			build_row(b, p->hi, unknown, (struct span){ 0 });
	}
}

/* pages[k]: how many rows start before page k. */
static void fill_pages(const struct build *b, uint32_t *pages,
		       const struct unwind_header *h)
{
	uint64_t first = h->text_lo - b->base;
	uint32_t row = 0;

	for (uint32_t k = 0; k <= h->n_pages; k++) {
		uint64_t start = first + ((uint64_t)k << h->page_bits);

		while (row < b->rows.count && b->rows.at[row].offset < start)
			row++;
		pages[k] = row;
	}
}

static void fill_image(const struct build *b, struct unwind_header *h)
{
	uint32_t *pages = (uint32_t *)(h + 1);
	uint32_t *rows = pages + h->n_pages + 1;
	struct unwind_rule *rules = (void *)(rows + h->n_rows);
	uint32_t page_mask = (1u << h->page_bits) - 1;

	fill_pages(b, pages, h);
	for (uint32_t i = 0; i < h->n_rows; i++)
		rows[i] = (b->rows.at[i].offset & page_mask)
				  << UNWIND_RULE_BITS |
			  b->rows.at[i].rule;
	memcpy(rules, b->rules.at, h->n_rules * sizeof(*rules));
	if (h->n_expressions)
		memcpy(rules + h->n_rules, b->expressions.at, h->n_expressions);
}

/* The smallest pages that have enough rows each to be worth their word. */
static uint32_t choose_page_bits(const struct build *b)
{
	uint64_t text = b->rows.at[b->rows.count - 1].offset -
			b->rows.at[0].offset;
	uint32_t bits = UNWIND_PAGE_BITS_MIN;

	while (bits < UNWIND_PAGE_BITS_MAX &&
	       text >> bits > b->rows.count / ROWS_A_PAGE)
		bits++;
	return bits;
}

static int make_image(struct build *b, struct arena *arena, struct span *image)
{
	uint32_t page_bits = choose_page_bits(b);
	uint32_t n_rows = b->rows.count;
	uint32_t first = b->rows.at[0].offset >> page_bits;
	uint32_t last = b->rows.at[n_rows - 1].offset >> page_bits;
	uint32_t n_pages = last - first + 1;
	size_t len = sizeof(struct unwind_header) +
		     4 * ((size_t)n_pages + 1 + n_rows) +
		     sizeof(struct unwind_rule) * b->rules.count +
		     b->expressions.count;
	struct unwind_header *h = arena_alloc(arena, len);
	struct span key = b->source->key;

	if (!h)
		return -ENOMEM;
	*h = (struct unwind_header){
		.machine = b->source->machine,
		.flags = b->partial ? UNWIND_PARTIAL : 0,
		.text_lo = b->base + ((uint64_t)first << page_bits),
		.page_bits = page_bits,
		.n_pages = n_pages,
		.n_rows = n_rows,
		.n_rules = b->rules.count,
		.n_expressions = b->expressions.count,
		.key_len = (uint32_t)key.len,
	};
	if (key.len)
		memcpy(h->key, key.at, key.len);
	fill_image(b, h);
	unwind_table_seal(h, len);
	*image = span_of(h, len);
	return 0;
}

static int compile(struct build *b, struct arena *arena, struct span *image)
{
	struct pieces all = index_all(b);

	collect_rows(b, &all);
	if (b->work.failed)
		return -ENOMEM;
	if (b->rows.count < 1)
		return -ENODATA;
	return make_image(b, arena, image);
}

int unwind_compile(const struct unwind_source *source, struct arena *arena,
		   struct span *image, struct error *err)
{
	uint64_t size = source_size(source);
	struct build b = {
		.source = source,
		.work.limit = SPARE_MEMORY + 32 * size,
		.base = source->text_lo >> UNWIND_PAGE_BITS_MAX
						   << UNWIND_PAGE_BITS_MAX,
		.budget = SPARE_BUDGET + 2 * size,
	};
	int ret;

	*image = (struct span){ 0 };
	if (source->machine != EM_X86_64 && source->machine != EM_AARCH64)
		return error_set(err, -EINVAL,
				 "cannot unwind code of machine %u",
				 source->machine);
	if (source->key.len > UNWIND_KEY_MAX ||
	    source->text_hi - b.base > largest_text ||
	    source->text_hi < source->text_lo)
		return error_set(err, -EINVAL, "unusable text or build id");

	ret = compile(&b, arena, image);
	arena_release(&b.work);
	if (ret == -ENODATA)
		error_set(err, ret, "no unwind information");
	else if (ret < 0)
		error_set(err, ret, "not enough memory for the unwind table");
	return ret;
}
