/* SPDX-License-Identifier: MIT */
/*
 * Rows from Go's pclntab: for each function a program of (change of stack
 * depth, bytes of code) pairs.  Frames are laid out by one compiler, so depth
 * alone tells where the return address and the frame pointer are.
 */
#include "unwind/golang.h"

#include <elf.h>

#include "base/span.h"
#include "elf/image.h"
#include "elf/symtab.h"
#include "unwind/build.h"
#include "unwind/compile.h"
#include "unwind/names.h"

enum {
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,

	/* In a function's description. */
	NAME_AT = 4,
	STACK_PROGRAM_AT = 16,
	FLAGS_AT_118 = 37,
	FLAGS_AT_120 = 41,
	TOP_FRAME = 1,
	WRITES_SP = 2,
	ASSEMBLY = 4,
};

struct unwind_rule go_switch_rule(uint16_t machine)
{
	struct unwind_rule rule = {
		.kind = UNWIND_SWITCH,
		.ra_where = UNWIND_SAME << 4,
		.where = UNWIND_SAME | UNWIND_LOST << 4,
	};

	if (machine == EM_X86_64) {
		rule.ra_where = UNWIND_AT_CFA << 4;
		rule.cfa = 8;
		rule.ra = -8;
	}
	return rule;
}

/*
 * Assembly that moves to another stack and back keeps the frame pointer of its
 * own frame, which is on the stack it came from.
 */
static struct unwind_rule rule_by_fp(uint16_t machine, int32_t depth)
{
	struct unwind_rule rule = {
		.kind = UNWIND_FP,
		.ra_where = UNWIND_AT_FP << 4 | UNWIND_ANYWHERE,
		.where = UNWIND_AT_FP | UNWIND_LOST << 4,
		.cfa = machine == EM_X86_64 ? 16 : depth + 8,
		.ra = 8,
	};

	return rule;
}

static struct unwind_rule rule_at_depth(uint16_t machine, int32_t depth)
{
	bool framed = depth > 0;

	if (depth < 0)
		return (struct unwind_rule){ .kind = UNWIND_NONE };
	if (machine == EM_X86_64)
		return (struct unwind_rule){
			.kind = UNWIND_SP,
			.ra_where = UNWIND_AT_CFA << 4,
			.where = (framed ? UNWIND_AT_CFA : UNWIND_SAME) |
				 UNWIND_LOST << 4,
			.cfa = depth + 8,
			.ra = -8,
			.fp = framed ? -16 : 0,
		};
	/* The link register is at the bottom, the frame pointer below it. */
	return (struct unwind_rule){
		.kind = UNWIND_SP,
		.ra_where = (uint8_t)(framed ? UNWIND_AT_SP << 4
					     : UNWIND_SAME << 4),
		.where = (framed ? UNWIND_AT_SP : UNWIND_SAME) | UNWIND_LOST
									 << 4,
		.cfa = depth,
		.fp = framed ? -8 : 0,
	};
}

static uint32_t word_at(struct span s, uint64_t offset)
{
	struct reader r = reader_of(span_part(s, offset, 4));

	return reader_u32(&r);
}

struct go_function {
	uint64_t lo;
	uint64_t hi;
	struct span details; /* empty: damaged */
	const char *name;
	uint8_t flags;
};

static const char *name_at(const struct go_table *go, uint32_t offset)
{
	struct span rest;

	if (offset >= go->names.len)
		return "";
	rest = span_part(go->names, offset, go->names.len - offset);
	return memchr(rest.at, 0, rest.len) ? (const char *)rest.at : "";
}

static struct go_function function_at(const struct go_table *go, uint32_t i)
{
	uint32_t details = word_at(go->functions, 8 * (uint64_t)i + 4);
	struct go_function f = {
		.lo = go->text + word_at(go->functions, 8 * (uint64_t)i),
		/* After the last comes where the text ends. */
		.hi = go->text + word_at(go->functions, 8 * (uint64_t)i + 8),
		.details = span_part(go->details, details, FLAGS_AT_120 + 1),
		.name = "",
	};

	if (f.details.len) {
		f.flags = f.details.at[go->flags_at];
		f.name = name_at(go, word_at(f.details, NAME_AT));
	}
	return f;
}

void go_index(struct build *b, uint32_t input, struct pieces *list)
{
	const struct go_table *go = b->source->go;

	for (uint32_t i = 0; i < go->n_functions; i++) {
		struct go_function f = function_at(go, i);
		struct unwind_hint hint = { 0 };

		/* Names are looked at only where they can matter. */
		if (f.flags & (TOP_FRAME | WRITES_SP | ASSEMBLY))
			(void)unwind_name_hint(f.name, b->source->machine,
					       &hint);
		pieces_add(list, b, f.lo + hint.lo, f.hi,
			   (struct piece){ .input = input, .entry = i });
	}
}

/* A signal's handler is no start of a stack, whatever Go says. */
static bool starts_stack(const struct go_function *f)
{
	return (f->flags & TOP_FRAME) && strncmp(f->name, "runtime.sig", 11);
}

static struct unwind_rule rule_of(const struct go_function *f, uint16_t machine,
				  int32_t depth)
{
	if ((f->flags & WRITES_SP) && depth > 0)
		return rule_by_fp(machine, depth);
	return rule_at_depth(machine, depth);
}

static uint64_t read_delta(struct reader *r, int32_t *depth, bool first)
{
	uint64_t change = reader_uleb(r);

	if (!change && !first)
		return 0;
	*depth += (int32_t)((uint32_t)(change >> 1) ^ -(uint32_t)(change & 1));
	return reader_uleb(r);
}

static void run_program(struct build *b, const struct piece *p,
			const struct go_function *f)
{
	const struct go_table *go = b->source->go;
	uint32_t start = word_at(f->details, STACK_PROGRAM_AT);
	struct reader r = reader_of(go->programs);
	uint64_t pc = f->lo;
	int32_t depth = -1;

	(void)reader_take(&r, start ? start : go->programs.len);
	for (bool first = true; pc < b->base + p->hi; first = false) {
		uint64_t bytes = read_delta(&r, &depth, first);

		if (!bytes || r.failed || !b->budget || bytes > f->hi - pc) {
			b->partial |= b->budget == 0;
			depth = -1;
			bytes = f->hi - pc;
		} else {
			b->budget--;
		}
		build_row(b, pc <= b->base + p->lo ? p->lo : pc - b->base,
			  rule_of(f, b->source->machine, depth),
			  (struct span){ 0 });
		if (depth < 0)
			return;
		pc += bytes * go->quantum;
	}
}

void go_rows(struct build *b, const struct piece *p)
{
	struct go_function f = function_at(b->source->go, p->entry);
	struct unwind_hint hint;
	struct span none = { 0 };

	if ((f.flags & (TOP_FRAME | WRITES_SP | ASSEMBLY)) &&
	    unwind_name_hint(f.name, b->source->machine, &hint))
		build_row(b, p->lo, hint.rule, none);
	else if (starts_stack(&f))
		build_row(b, p->lo, (struct unwind_rule){ .kind = UNWIND_END },
			  none);
	else
		run_program(b, p, &f);
}

/* Stripping leaves it: the program itself reads it. */
static struct span find_pclntab(const struct elf *elf)
{
	struct elf_section s;

	if (elf_find_section(elf, ".gopclntab", &s) ||
	    elf_find_section(elf, ".data.rel.ro.gopclntab", &s))
		return elf_section_bytes(elf, &s);
	return (struct span){ 0 };
}

static bool starts_function(const struct go_table *go, uint64_t pc)
{
	for (uint32_t i = 0; i < go->n_functions; i++)
		if (go->text + word_at(go->functions, 8 * (uint64_t)i) == pc)
			return true;
	return false;
}

/*
 * What entries are relative to.  The header says so, except where the loader
 * or a newer linker leaves it out; then the start of .text is right if the
 * program's entry point is a function by it.
 */
static bool find_text(const struct elf *elf, struct go_table *go,
		      uint64_t stated)
{
	struct elf_section s;

	go->text = elf_symbol_value(elf, "runtime.text");
	if (!go->text)
		go->text = stated;
	if (go->text)
		return true;
	if (!elf_find_section(elf, ".text", &s))
		return false;
	go->text = s.address;
	return starts_function(go, elf->entry);
}

static struct span part_from(struct span s, uint64_t offset)
{
	return offset > s.len ? (struct span){ 0 }
			      : span_part(s, offset, s.len - offset);
}

bool go_open(const struct elf *elf, struct go_table *go)
{
	struct span all = find_pclntab(elf);
	struct reader r = reader_of(all);
	uint32_t magic = reader_u32(&r);
	uint16_t zero = reader_u16(&r);
	uint8_t quantum = reader_u8(&r);
	uint8_t pointer = reader_u8(&r);
	uint64_t count = reader_u64(&r);

	(void)reader_u64(&r); /* files */
	uint64_t text = reader_u64(&r);
	uint64_t names = reader_u64(&r);

	(void)reader_take(&r, 16); /* units and file names */
	uint64_t programs = reader_u64(&r);
	uint64_t details = reader_u64(&r);

	if (r.failed || (magic != MAGIC_118 && magic != MAGIC_120) || zero ||
	    !quantum || pointer != 8 || details > all.len ||
	    count > (all.len - details) / 8)
		return false;
	*go = (struct go_table){
		.details = part_from(all, details),
		.programs = part_from(all, programs),
		.names = part_from(all, names),
		.n_functions = (uint32_t)count,
		.quantum = quantum,
		.flags_at = magic == MAGIC_118 ? FLAGS_AT_118 : FLAGS_AT_120,
	};
	go->functions = span_part(go->details, 0, 8 * count + 4);
	return go->functions.len && find_text(elf, go, text);
}
