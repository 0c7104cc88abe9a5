/* SPDX-License-Identifier: MIT */
/*
 * Walks a stack: finds the rule for each frame's code, applies it, and says
 * why it stopped.  Bound by the same rules as step.c: it runs in signal
 * handlers.
 */
#include "unwind/walk.h"

#include "base/check.h"
#include "unwind/guess.h"

/* How far below a frame pointer Go's caller may have left its stack. */
enum { SWITCH_WORDS = 1024 };

void unwind_cache_init(struct unwind_cache *c, void *memory, size_t size)
{
	size_t slots = size / sizeof(struct unwind_slot);

	ASSERT(slots);
	*c = (struct unwind_cache){ .slots = memory };
	while (slots >>= 1)
		c->bits++;
}

const struct unwind_module *unwind_map_module(const struct unwind_map *map,
					      uint64_t pc)
{
	const struct unwind_module *at = map->modules;
	uint32_t count = map->count;

	if (!count)
		return NULL;
	while (count > 1) {
		uint32_t half = count / 2;

		at = at[half].lo <= pc ? at + half : at;
		count -= half;
	}
	return at->lo <= pc && pc < at->hi ? at : NULL;
}

static const struct unwind_rule *find_rule(const struct unwind_module *module,
					   uint64_t pc)
{
	if (!module || !module->table)
		return NULL;
	return unwind_table_find(module->table, pc - module->bias);
}

const struct unwind_rule *unwind_map_find(const struct unwind_map *map,
					  uint64_t pc)
{
	return find_rule(unwind_map_module(map, pc), pc);
}

static bool search(const struct unwind_map *map, uint64_t pc,
		   struct unwind_rule *rule)
{
	const struct unwind_module *module = unwind_map_module(map, pc);
	const struct unwind_rule *found = find_rule(module, pc);

	if (!module)
		return false;
	*rule = found ? *found : (struct unwind_rule){ .kind = UNWIND_NONE };
	return true;
}

static bool is_plain(const struct unwind_rule *r)
{
	unsigned fp = rule_fp_where(r);
	unsigned extra = rule_extra_where(r);

	return (r->kind == UNWIND_SP || r->kind == UNWIND_FP) &&
	       (r->ra_where & ~UNWIND_PLAIN) == UNWIND_AT_CFA << 4 &&
	       (fp == UNWIND_SAME || fp == UNWIND_AT_CFA) &&
	       (extra == UNWIND_SAME || extra == UNWIND_AT_CFA ||
		extra == UNWIND_LOST);
}

static struct unwind_slot *slot_for(const struct unwind_cache *c, uint64_t pc)
{
	uint64_t hash = pc * 0x9e3779b97f4a7c15u;

	/* Shifting twice allows for a cache of one slot. */
	return &c->slots[hash >> 1 >> (63 - c->bits)];
}

/* The rule for the code at pc; NULL if there is no code. */
static inline const struct unwind_rule *look_up(const struct unwind_walker *w,
						uint64_t pc,
						struct unwind_rule *room)
{
	struct unwind_cache *c = w->cache;
	struct unwind_slot *slot;

	if (!c)
		return search(w->map, pc, room) ? room : NULL;
	slot = slot_for(c, pc);
	if (slot->pc == pc && slot->generation == w->map->generation) {
		c->hits++;
		return &slot->rule;
	}
	c->misses++;
	if (!search(w->map, pc, room))
		return NULL;
	*slot = (struct unwind_slot){ .pc = pc,
				      .generation = w->map->generation,
				      .rule = *room };
	if (is_plain(room))
		slot->rule.ra_where |= UNWIND_PLAIN;
	return &slot->rule;
}

/*
 * Where the copy of the stack has a word; its start, which is as good as any,
 * if nobody wants it.  A place outside of the copy makes *all false.
 */
static inline uint64_t load(const struct unwind_memory *m, uint64_t addr,
			    bool wanted, bool *all)
{
	uint64_t offset = wanted ? addr - m->lo : 0;
	bool there = offset <= m->len - sizeof(uint64_t);
	uint64_t value;

	*all &= there;
	memcpy(&value, m->copy + (there ? offset : 0), sizeof(value));
	return value;
}

/*
 * The step that nearly all are: everything that was saved is in the copy of
 * the stack at a fixed distance from the CFA.  False, and regs untouched, if
 * it is another.  Which registers were saved nobody can predict, so no branch
 * asks: both answers are computed.
 */
static inline bool step_plainly(const struct unwind_rule *r,
				const struct unwind_memory *m,
				uint64_t code_mask, struct unwind_regs *regs)
{
	bool by_sp = r->kind == UNWIND_SP;
	bool has_fp = rule_fp_where(r) == UNWIND_AT_CFA;
	bool has_extra = rule_extra_where(r) == UNWIND_AT_CFA;
	bool keeps_extra = rule_extra_where(r) == UNWIND_SAME;
	uint64_t cfa = (by_sp ? regs->sp : regs->fp) + (uint64_t)r->cfa;
	bool all = cfa > regs->sp && (by_sp || (regs->known & UNWIND_HAS_FP)) &&
		   m->len >= sizeof(uint64_t);
	uint8_t known = regs->known;
	uint64_t ra, fp, extra;

	if (!all)
		return false;
	ra = load(m, cfa + (uint64_t)r->ra, true, &all);
	fp = load(m, cfa + (uint64_t)r->fp, has_fp, &all);
	extra = load(m, cfa + (uint64_t)r->extra, has_extra, &all);
	if (!all)
		return false;
	known = (uint8_t)(known & ~(keeps_extra ? 0 : UNWIND_HAS_EXTRA));
	*regs = (struct unwind_regs){
		.pc = ra & code_mask,
		.sp = cfa,
		.fp = has_fp ? fp : regs->fp,
		.extra = has_extra ? extra : regs->extra,
		.known = (uint8_t)(known | (has_fp ? UNWIND_HAS_FP : 0) |
				   (has_extra ? UNWIND_HAS_EXTRA : 0)),
	};
	return true;
}

/*
 * Takes as many plain steps whose rules are in the cache as there are and
 * leaves the first other one to the caller.  A loop of its own, since it runs
 * from registers only if nothing in it is called.
 */
static uint32_t walk_plain(const struct unwind_walker *w,
			   struct unwind_regs *regs, uint64_t *pcs,
			   uint32_t max)
{
	const struct unwind_memory m = w->memory;
	const struct unwind_cache c = *w->cache;
	const uint32_t generation = w->map->generation;
	const uint64_t code_mask = w->code_mask;
	struct unwind_regs at = *regs;
	uint64_t pc = at.pc - !at.exact;
	uint32_t n = 0;

	while (n < max) {
		const struct unwind_slot *slot = slot_for(&c, pc);

		if (slot->pc != pc || slot->generation != generation ||
		    !(slot->rule.ra_where & UNWIND_PLAIN) ||
		    !step_plainly(&slot->rule, &m, code_mask, &at))
			break;
		pcs[n++] = pc;
		pc = at.pc - 1;
	}
	if (n) {
		*regs = at;
		w->cache->hits += n;
	}
	return n;
}

static struct span expressions_at(const struct unwind_map *map, uint64_t pc)
{
	const struct unwind_module *module = unwind_map_module(map, pc);

	if (!module || !module->table)
		return (struct span){ 0 };
	return module->table->expressions;
}

/*
 * Go's runtime has left the goroutine's stack in a function without a frame of
 * its own, and kept the frame pointer: it still points to the frame of the
 * function that asked.  Below it, at a distance which that function's own rule
 * tells, is the return address into it.
 */
static bool cross_stacks(const struct unwind_walker *w,
			 struct unwind_regs *regs)
{
	uint64_t cfa = regs->fp + 16;

	if (!(regs->known & UNWIND_HAS_FP) || !regs->fp || regs->fp % 8)
		return false;
	if (w->memory.cross)
		w->memory.cross(w->memory.context, regs->fp);
	for (unsigned i = 1; i <= SWITCH_WORDS; i++) {
		uint64_t at = regs->fp - 8 * (uint64_t)i;
		struct unwind_rule rule;
		uint64_t ra;

		if (!unwind_read(&w->memory, at, &ra))
			return false;
		if (search(w->map, ra - 1, &rule) && rule.kind == UNWIND_SP &&
		    at + 8 + (uint64_t)rule.cfa == cfa) {
			*regs = (struct unwind_regs){
				.pc = ra,
				.sp = at + 8,
				.fp = regs->fp,
				.known = UNWIND_HAS_FP,
			};
			return true;
		}
	}
	return false;
}

static enum unwind_reason advance(const struct unwind_walker *w,
				  const struct unwind_rule *rule,
				  struct unwind_regs *regs, bool *guessed)
{
	struct span expressions = { 0 };
	struct unwind_rule same_stack;

	*guessed = false;
	if (is_plain(rule) &&
	    step_plainly(rule, &w->memory, w->code_mask, regs))
		return UNWIND_GOING;
	if (rule->kind == UNWIND_NONE)
		return unwind_guess(w, regs, guessed);
	if (rule->kind == UNWIND_SWITCH) {
		if (cross_stacks(w, regs))
			return UNWIND_GOING;
		/* No other stack was left; the caller is on this one. */
		same_stack = *rule;
		same_stack.kind = UNWIND_SP;
		rule = &same_stack;
	}
	if (rule->kind == UNWIND_EXPR)
		expressions = expressions_at(w->map, regs->pc - !regs->exact);
	return unwind_apply(rule, expressions, &w->memory, w->code_mask, regs);
}

enum unwind_reason unwind_step(const struct unwind_walker *w,
			       struct unwind_regs *regs, bool *guessed)
{
	struct unwind_rule room;
	const struct unwind_rule *rule = look_up(w, regs->pc - !regs->exact,
						 &room);

	if (!rule)
		return regs->pc ? UNWIND_NO_CODE : UNWIND_COMPLETE;
	return advance(w, rule, regs, guessed);
}

struct unwind_result unwind_walk(const struct unwind_walker *w,
				 struct unwind_regs regs, uint64_t *pcs,
				 uint32_t max)
{
	/* The map may lag behind what the thread has just loaded. */
	static const struct unwind_rule unknown = { .kind = UNWIND_NONE };
	struct unwind_result result = { .reason = UNWIND_GOING };
	bool guessed = false;

	while (result.reason == UNWIND_GOING) {
		struct unwind_rule room;
		const struct unwind_rule *rule;
		uint64_t pc;

		if (w->cache && !guessed)
			result.count += walk_plain(w, &regs, pcs + result.count,
						   max - result.count);
		pc = regs.pc - !regs.exact;
		rule = look_up(w, pc, &room);
		if (!rule && result.count) {
			result.reason = regs.pc ? UNWIND_NO_CODE
						: UNWIND_COMPLETE;
			break;
		}
		if (result.count == max) {
			result.reason = UNWIND_TOO_DEEP;
			break;
		}
		pcs[result.count++] = pc;
		result.guessed += guessed;
		result.reason = advance(w, rule ? rule : &unknown, &regs,
					&guessed);
	}
	return result;
}
