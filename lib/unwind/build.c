/* SPDX-License-Identifier: MIT */
/*
 * Collects rows: equal neighbours become one, equal rules are stored once.
 */
#include "unwind/build.h"

#include "base/hash.h"
#include "base/span.h"
#include "unwind/table.h"

static uint32_t add_expression(struct build *b, struct span expression)
{
	uint32_t at = b->expressions.count;

	if (!VEC_RESERVE(&b->expressions, &b->work, expression.len + 1))
		return 0;
	b->expressions.at[at] = (uint8_t)expression.len;
	memcpy(&b->expressions.at[at + 1], expression.at, expression.len);
	b->expressions.count += (uint32_t)expression.len + 1;
	return at;
}

static bool same_expression(const struct build *b, uint32_t at,
			    struct span expression)
{
	const uint8_t *stored = b->expressions.at + at;

	return span_equal(span_of(stored + 1, stored[0]), expression);
}

/* Rules that evaluate something differ by what; cfa is where it is stored. */
static bool same_rule(const struct build *b, const struct unwind_rule *stored,
		      struct unwind_rule rule, struct span expression)
{
	if (rule.kind == UNWIND_EXPR && stored->kind == UNWIND_EXPR) {
		if (!same_expression(b, (uint32_t)stored->cfa, expression))
			return false;
		rule.cfa = stored->cfa;
	}
	return !memcmp(stored, &rule, sizeof(rule));
}

static uint32_t intern(struct build *b, struct unwind_rule rule,
		       struct span expression)
{
	uint32_t hash = hash_bytes(&rule, sizeof(rule));
	struct unwind_rule *added;
	uint32_t id;

	for (uint32_t i = table_start(&b->rule_index, hash);
	     (id = table_id(&b->rule_index, i, hash)) != TABLE_END;
	     i = table_next(&b->rule_index, i))
		if (id && same_rule(b, &b->rules.at[id - 1], rule, expression))
			return id - 1;

	/* Rule 0 is "nothing known", and stands in for one too many. */
	if (b->rules.count > UNWIND_RULE_MASK) {
		b->partial = true;
		return 0;
	}
	if (rule.kind == UNWIND_EXPR)
		rule.cfa = (int32_t)add_expression(b, expression);
	added = VEC_PUSH(&b->rules, &b->work);
	if (!added)
		return 0;
	*added = rule;
	id = b->rules.count;
	if (!table_add(&b->rule_index, &b->work, hash, id))
		return 0;
	return id - 1;
}

void build_start(struct build *b)
{
	(void)intern(b, (struct unwind_rule){ .kind = UNWIND_NONE },
		     (struct span){ 0 });
}

void build_row(struct build *b, uint64_t offset, struct unwind_rule rule,
	       struct span expression)
{
	struct build_row *last = b->rows.count ? &b->rows.at[b->rows.count - 1]
					       : NULL;
	struct build_row *row;

	if (last && same_rule(b, &b->rules.at[last->rule], rule, expression))
		return;
	if (last && last->offset == offset) {
		/* Nothing ran under the row before; it may now be gone. */
		b->rows.count--;
		build_row(b, offset, rule, expression);
		return;
	}

	uint32_t id = intern(b, rule, expression);

	row = VEC_PUSH(&b->rows, &b->work);
	if (row)
		*row = (struct build_row){ .offset = (uint32_t)offset,
					   .rule = id };
}
