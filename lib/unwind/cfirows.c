/* SPDX-License-Identifier: MIT */
/*
 * Brings .eh_frame and .debug_frame into a table.  A CIE is read and run once
 * and kept, since thousands of functions share it.
 */
#include "unwind/cfirows.h"

#include "base/span.h"
#include "unwind/build.h"
#include "unwind/compile.h"
#include "unwind/encode.h"
#include "unwind/program.h"

enum { CIES = 64 };

struct kept_cie {
	const struct cfi_section *section; /* NULL: empty */
	uint64_t offset;
	struct cfi_cie cie;
	struct cfa_state initial;
	bool usable;
};

struct cie_cache {
	struct kept_cie slot[CIES];
};

static bool load_cie(struct build *b, struct kept_cie *k)
{
	struct cfi_entry entry;
	uint64_t at = k->offset;

	if (at >= k->section->bytes.len || !cfi_next(k->section, &at, &entry) ||
	    entry.offset != k->offset ||
	    cfi_read_cie(k->section, &entry, &k->cie) < 0)
		return false;

	struct cfa_run run = {
		.cie = &k->cie,
		.section = k->section,
		.budget = &b->budget,
		.machine = b->source->machine,
	};

	if (cfa_run(&run, k->cie.program) < 0)
		return false;
	k->initial = run.state;
	return true;
}

static const struct kept_cie *get_cie(struct build *b,
				      const struct cfi_section *section,
				      uint64_t offset)
{
	struct kept_cie *k;

	if (!b->cies)
		b->cies = ARENA_NEW(&b->work, struct cie_cache);
	if (!b->cies)
		return NULL;
	k = &b->cies->slot[(offset / 4) % CIES];
	if (k->section != section || k->offset != offset) {
		k->section = section;
		k->offset = offset;
		k->usable = load_cie(b, k);
	}
	return k->usable ? k : NULL;
}

static void index_entry(struct build *b, unsigned i,
			const struct cfi_entry *entry, struct pieces *list)
{
	const struct cfi_section *section = &b->source->sections[i];
	const struct kept_cie *k = get_cie(b, section, entry->cie);
	struct piece who = { .input = i, .entry = (uint32_t)entry->offset };
	struct cfi_fde fde;

	if (!k || cfi_read_fde(section, entry, &k->cie, &fde) < 0)
		b->partial = true;
	else
		pieces_add(list, b, fde.lo, fde.hi, who);
}

/* Pairs of (function, entry), both relative to the search table's address. */
static void index_by_table(struct build *b, unsigned i, struct pieces *list)
{
	const struct cfi_section *section = &b->source->sections[i];
	struct reader r = reader_of(section->search);

	while (reader_left(&r) >= 8) {
		struct cfi_entry entry;
		uint64_t at;

		(void)reader_u32(&r);
		at = section->search_base +
		     (uint64_t)(int64_t)(int32_t)reader_u32(&r) - section->addr;
		if (at < section->bytes.len && cfi_next(section, &at, &entry) &&
		    !entry.is_cie)
			index_entry(b, i, &entry, list);
		else
			b->partial = true;
	}
}

void cfi_index(struct build *b, unsigned i, struct pieces *list)
{
	const struct cfi_section *section = &b->source->sections[i];
	struct cfi_entry entry;
	uint64_t at = 0;

	if (section->search.len) {
		index_by_table(b, i, list);
		return;
	}
	while (cfi_next(section, &at, &entry))
		if (!entry.is_cie)
			index_entry(b, i, &entry, list);
	b->partial |= at != section->bytes.len;
}

struct target {
	struct build *b;
	const struct piece *p;
};

/* A row that starts before the piece holds from the piece's start. */
static void add_row(void *to, const struct cfa_run *run)
{
	const struct target *t = to;
	uint64_t lo = t->b->base + t->p->lo;
	uint64_t hi = t->b->base + t->p->hi;

	if (run->pc >= hi)
		return;
	build_row(t->b, run->pc <= lo ? t->p->lo : run->pc - t->b->base,
		  rule_encode(run), run->state.expression);
}

void cfi_rows(struct build *b, unsigned i, const struct piece *p)
{
	const struct cfi_section *section = &b->source->sections[i];
	struct target target = { .b = b, .p = p };
	uint64_t at = p->entry;
	const struct kept_cie *k;
	struct cfi_entry entry;
	struct cfi_fde fde;

	/* It was read once already, but the CIE may have used up the budget. */
	if (!cfi_next(section, &at, &entry) ||
	    !(k = get_cie(b, section, entry.cie)) ||
	    cfi_read_fde(section, &entry, &k->cie, &fde) < 0) {
		b->partial = true;
		build_row(b, p->lo, (struct unwind_rule){ 0 },
			  (struct span){ 0 });
		return;
	}

	struct cfa_run run = {
		.cie = &k->cie,
		.initial = &k->initial,
		.section = section,
		.budget = &b->budget,
		.machine = b->source->machine,
		.pc = fde.lo,
		.state = k->initial,
		.row = add_row,
		.to = &target,
	};

	if (cfa_run(&run, fde.program) == 0) {
		add_row(&target, &run);
		return;
	}
	b->partial = true;
	if (run.pc < b->base + p->hi)
		build_row(b, run.pc <= fde.lo ? p->lo : run.pc - b->base,
			  (struct unwind_rule){ 0 }, (struct span){ 0 });
}
