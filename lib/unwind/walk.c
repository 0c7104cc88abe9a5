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

static const struct unwind_module *find_module(const struct unwind_map *map,
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

static bool search(const struct unwind_map *map, uint64_t pc,
		   struct unwind_rule *rule)
{
	const struct unwind_module *module = find_module(map, pc);
	const struct unwind_rule *found = NULL;

	if (!module)
		return false;
	if (module->table)
		found = unwind_table_find(module->table, pc - module->bias);
	*rule = found ? *found : (struct unwind_rule){ .kind = UNWIND_NONE };
	return true;
}

/* The rule for the code at pc; false if there is no code. */
static bool look_up(const struct unwind_walker *w, uint64_t pc,
		    struct unwind_rule *rule)
{
	struct unwind_cache *c = w->cache;

	if (!c)
		return search(w->map, pc, rule);

	uint64_t hash = pc * 0x9e3779b97f4a7c15u;
	/* Shifting twice allows for a cache of one slot. */
	struct unwind_slot *slot = &c->slots[hash >> 1 >> (63 - c->bits)];

	if (slot->pc == pc && slot->generation == w->map->generation) {
		c->hits++;
		*rule = slot->rule;
		return true;
	}
	c->misses++;
	if (!search(w->map, pc, rule))
		return false;
	*slot = (struct unwind_slot){ .pc = pc,
				      .generation = w->map->generation,
				      .rule = *rule };
	return true;
}

static struct span expressions_at(const struct unwind_map *map, uint64_t pc)
{
	const struct unwind_module *module = find_module(map, pc);

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
				  struct unwind_rule *rule,
				  struct unwind_regs *regs, bool *guessed)
{
	struct span expressions = { 0 };

	*guessed = false;
	if (rule->kind == UNWIND_NONE)
		return unwind_guess(w, regs, guessed);
	if (rule->kind == UNWIND_SWITCH) {
		if (cross_stacks(w, regs))
			return UNWIND_GOING;
		/* No other stack was left; the caller is on this one. */
		rule->kind = UNWIND_SP;
	}
	if (rule->kind == UNWIND_EXPR)
		expressions = expressions_at(w->map, regs->pc - !regs->exact);
	return unwind_apply(rule, expressions, &w->memory, w->code_mask, regs);
}

enum unwind_reason unwind_step(const struct unwind_walker *w,
			       struct unwind_regs *regs, bool *guessed)
{
	struct unwind_rule rule;

	if (!look_up(w, regs->pc - !regs->exact, &rule))
		return regs->pc ? UNWIND_NO_CODE : UNWIND_COMPLETE;
	return advance(w, &rule, regs, guessed);
}

struct unwind_result unwind_walk(const struct unwind_walker *w,
				 struct unwind_regs regs, uint64_t *pcs,
				 uint32_t max)
{
	struct unwind_result result = { .reason = UNWIND_GOING };
	bool guessed = false;

	while (result.reason == UNWIND_GOING) {
		uint64_t pc = regs.pc - !regs.exact;
		struct unwind_rule rule;
		bool code = look_up(w, pc, &rule);

		if (!code && result.count) {
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
		/* The map may lag behind what the thread has just loaded. */
		if (!code)
			rule = (struct unwind_rule){ .kind = UNWIND_NONE };
		result.reason = advance(w, &rule, &regs, &guessed);
	}
	return result;
}
