/* SPDX-License-Identifier: MIT */
/* The tree of a C++ name: making nodes and lists, and the parser's limits. */
#include "symbol/itanium.h"

enum {
	DEPTH_MAX = 600,
	WORK_MAX = 2000000,
};

struct node *itanium_fail(struct itanium *p)
{
	p->failed = true;
	return NULL;
}

bool itanium_spend(struct itanium *p)
{
	if (++p->work > WORK_MAX)
		itanium_fail(p);
	return !p->failed;
}

bool itanium_enter(struct itanium *p)
{
	if (p->failed || ++p->depth > DEPTH_MAX)
		itanium_fail(p);
	return itanium_spend(p);
}

void *itanium_alloc(struct itanium *p, size_t size)
{
	void *memory = p->failed ? NULL : scratch_alloc(p->scratch, size);

	if (!memory)
		itanium_fail(p);
	return memory;
}

struct node *node_new(struct itanium *p, enum node_kind kind, struct node *a,
		      struct node *b)
{
	struct node *n = itanium_alloc(p, sizeof(*n));

	if (!n)
		return NULL;
	n->kind = (uint8_t)kind;
	n->kid[0] = a;
	n->kid[1] = b;
	return n;
}

struct node *node_text(struct itanium *p, enum node_kind kind, struct node *a,
		       struct span text)
{
	struct node *n = node_new(p, kind, a, NULL);

	if (n)
		n->text = text;
	return n;
}

struct node *node_num(struct itanium *p, enum node_kind kind, struct node *a,
		      int32_t num)
{
	struct node *n = node_new(p, kind, a, NULL);

	if (n)
		n->num = num;
	return n;
}

struct node *node_listed(struct itanium *p, enum node_kind kind, struct node *a,
			 struct node_list list)
{
	struct node *n = node_new(p, kind, a, NULL);

	if (n)
		n->list[0] = list;
	return n;
}

struct node *node_named(struct itanium *p, const char *name)
{
	return node_text(p, NODE_NAME, NULL, span_text(name));
}

void stack_push(struct itanium *p, struct node_stack *s, struct node *n)
{
	if (s->count == s->capacity) {
		uint32_t capacity = s->capacity ? 2 * s->capacity : 16;
		struct node **grown = itanium_alloc(p,
						    capacity * sizeof(*grown));

		if (!grown)
			return;
		if (s->count)
			memcpy(grown, s->at, s->count * sizeof(*grown));
		s->at = grown;
		s->capacity = capacity;
	}
	s->at[s->count++] = n;
}

void list_append(struct itanium *p, struct node_list *list, struct node *n)
{
	struct node **grown = itanium_alloc(p,
					    (list->count + 1) * sizeof(*grown));

	if (!grown)
		return;
	if (list->count)
		memcpy(grown, list->at, list->count * sizeof(*grown));
	grown[list->count++] = n;
	list->at = grown;
}

struct node_list pending_take(struct itanium *p, uint32_t mark)
{
	uint32_t count = p->pending.count - mark;
	struct node_list list = { 0 };

	if (!count || p->failed)
		return list;
	list.at = itanium_alloc(p, count * sizeof(*list.at));
	if (!list.at)
		return list;
	memcpy(list.at, p->pending.at + mark, count * sizeof(*list.at));
	list.count = count;
	p->pending.count = mark;
	return list;
}
