/* SPDX-License-Identifier: MIT */
/*
 * Template arguments and parameters, and lambdas, whose "auto" parameters are
 * template parameters in disguise.
 */
#include "symbol/itanium.h"

struct node *itanium_template_param(struct itanium *p)
{
	struct span start = p->rest;
	uint32_t level = 0;
	int32_t index;
	struct node *template;
	struct node *n;

	advance(p, 1);
	if (eat(p, 'L'))
		level = (uint32_t)itanium_compact_number(p);
	index = itanium_compact_number(p);
	if (p->failed)
		return NULL;
	if (p->in_constraint) {
		start.len = (size_t)(p->rest.at - start.at) - 1;
		return node_text(p, NODE_NAME, NULL, start);
	}
	template = level < p->templates.count ? p->templates.at[level] : NULL;
	if (level >= p->templates.count ||
	    (template && (uint32_t)index >= template->list[0].count)) {
		/* Not a parameter of any template: one of the lambda itself. */
		if (!p->lambda_level || level != p->lambda_level - 1)
			return itanium_fail(p);
		return node_num(p, NODE_LAMBDA_AUTO, NULL, index);
	}
	n = node_num(p, NODE_TEMPLATE_PARAM, NULL, index);
	if (n)
		n->ref = template;
	return n;
}

/* Sorts of parameters that a lambda declares, each numbered by itself. */
enum sort {
	SORT_TYPE,
	SORT_VALUE,
	SORT_TEMPLATE,
};

static struct node *next_name(struct itanium *p, enum sort sort)
{
	static const char *const prefixes[] = { "$T", "$N", "$TT" };
	struct node *n = node_text(p, NODE_PARAM_NAME, NULL,
				   span_text(prefixes[sort]));

	if (n)
		n->num = p->named[sort]++;
	return n;
}

static struct node *param_declaration(struct itanium *p,
				      struct node **ret_name);

/* The template that a list of declarations builds up, in scope meanwhile. */
static void declare(struct itanium *p, struct node **template,
		    struct node *name)
{
	if (p->failed)
		return;
	if (!*template) {
		*template = node_new(p, NODE_TEMPLATE, NULL, NULL);
		stack_push(p, &p->templates, *template);
	}
	if (*template)
		list_append(p, &(*template)->list[0], name);
}

/* Tt <declaration>* [Q <constraint>] E, the Tt being eaten. */
static struct node *template_template(struct itanium *p, struct node *name)
{
	struct node *n = node_new(p, NODE_TEMPLATE_TEMPLATE, name, NULL);
	struct node *template = NULL;
	uint32_t mark = p->pending.count;

	while (!p->failed && !eat(p, 'E')) {
		struct node *inner_name;
		struct node *inner = param_declaration(p, &inner_name);

		if (!inner)
			return itanium_fail(p);
		stack_push(p, &p->pending, inner);
		declare(p, &template, inner_name);
		if (peek(p) == 'Q') {
			n->kid[1] = itanium_constraint(p);
			if (peek(p) != 'E')
				return itanium_fail(p);
		}
	}
	if (p->failed)
		return NULL;
	n->list[0] = pending_take(p, mark);
	if (template)
		p->templates.count--;
	return n;
}

/* Tk <concept>, the Tk being eaten. */
static struct node *constrained(struct itanium *p, struct node **ret_name)
{
	bool outer = p->in_constraint;
	struct node *concept;

	p->in_constraint = true;
	concept = itanium_name(p, NULL);
	p->in_constraint = outer;
	*ret_name = next_name(p, SORT_TYPE);
	return node_new(p, NODE_CONSTRAINED_PARAM, *ret_name, concept);
}

static struct node *declaration(struct itanium *p, uint8_t code,
				struct node **ret_name)
{
	struct node *inner;

	switch (code) {
	case 'y':
		*ret_name = next_name(p, SORT_TYPE);
		return node_new(p, NODE_TYPE_PARAM, *ret_name, NULL);
	case 'k':
		return constrained(p, ret_name);
	case 'n':
		*ret_name = next_name(p, SORT_VALUE);
		return node_new(p, NODE_VALUE_PARAM, *ret_name,
				itanium_type(p, false));
	case 't':
		*ret_name = next_name(p, SORT_TEMPLATE);
		return template_template(p, *ret_name);
	default:
		inner = param_declaration(p, ret_name);
		if (!inner)
			return itanium_fail(p);
		return node_new(p, NODE_PARAM_PACK, inner, NULL);
	}
}

static bool at_declaration(const struct itanium *p)
{
	uint8_t code = peek_at(p, 1);

	return peek(p) == 'T' && (code == 'y' || code == 'k' || code == 'n' ||
				  code == 't' || code == 'p');
}

/*
 * <template-param-decl>, and in *ret_name what a reference to the parameter
 * stands for.  NULL, without having failed, if there is none.
 */
static struct node *param_declaration(struct itanium *p, struct node **ret_name)
{
	uint8_t code = peek_at(p, 1);
	struct node *n;

	*ret_name = NULL;
	if (!at_declaration(p) || !itanium_enter(p))
		return NULL;
	advance(p, 2);
	n = declaration(p, code, ret_name);
	p->depth--;
	return p->failed ? NULL : n;
}

/* An argument with the declaration of its parameter before it. */
static struct node *declared_arg(struct itanium *p,
				 const struct node_list *before)
{
	struct node *template = node_new(p, NODE_TEMPLATE, NULL, NULL);
	struct node *name;
	struct node *param;

	/* The declaration may refer to the arguments before it. */
	if (template && before)
		template->list[0] = *before;
	stack_push(p, &p->templates, template);
	param = param_declaration(p, &name);
	if (p->failed)
		return NULL;
	p->templates.count--;
	return node_new(p, NODE_DECLARED_ARG, param,
			itanium_template_arg(p, NULL));
}

static struct node *template_arg(struct itanium *p,
				 const struct node_list *before)
{
	struct node *n;

	switch (peek(p)) {
	case 'X':
		advance(p, 1);
		n = itanium_expression(p);
		return expect(p, 'E') ? n : NULL;
	case 'L':
		return itanium_expr_primary(p);
	case 'I':
	case 'J':
		return node_listed(p, NODE_PACK, NULL,
				   itanium_template_args(p));
	default:
		if (at_declaration(p))
			return declared_arg(p, before);
		return itanium_type(p, false);
	}
}

struct node *itanium_template_arg(struct itanium *p,
				  const struct node_list *before)
{
	struct node *n;

	if (!itanium_enter(p))
		return NULL;
	n = template_arg(p, before);
	p->depth--;
	return p->failed ? NULL : n;
}

/* I <template-arg>* [Q <constraint>] E */
struct node_list itanium_template_args(struct itanium *p)
{
	uint32_t mark = p->pending.count;

	advance(p, 1);
	while (!p->failed && peek(p) != 'E') {
		struct node_list before = { 0 };

		if (at_declaration(p)) {
			before = pending_take(p, mark);
			p->pending.count += before.count;
		}
		stack_push(p, &p->pending, itanium_template_arg(p, &before));
		if (!p->failed && peek(p) == 'Q') {
			(void)itanium_constraint(p); /* it is not shown */
			if (peek(p) != 'E')
				itanium_fail(p);
		}
	}
	advance(p, 1);
	return pending_take(p, mark);
}

/* The declared parameters of a lambda, which stay in scope. */
static struct node_list lambda_declarations(struct itanium *p)
{
	struct node *template = NULL;
	uint32_t mark = p->pending.count;

	while (!p->failed && at_declaration(p)) {
		struct node *name;

		stack_push(p, &p->pending, param_declaration(p, &name));
		declare(p, &template, name);
	}
	return pending_take(p, mark);
}

/* Ul <declaration>* [Q <constraint>] <type>+ [Q <constraint>] E [<number>] _ */
struct node *itanium_closure(struct itanium *p)
{
	struct node *n = node_new(p, NODE_CLOSURE, NULL, NULL);
	uint32_t level = p->lambda_level;

	if (!n)
		return NULL;
	advance(p, 2);
	p->lambda_level = p->templates.count + 1;
	n->list[0] = lambda_declarations(p);
	if (!p->failed && peek(p) == 'Q')
		n->kid[0] = itanium_constraint(p);
	n->list[1] = itanium_params(p, false);
	if (p->failed)
		return NULL;
	p->lambda_level = level;
	if (n->list[0].count)
		p->templates.count--;
	if (peek(p) == 'Q')
		n->kid[1] = itanium_constraint(p);
	if (!expect(p, 'E'))
		return NULL;
	n->num = itanium_compact_number(p);
	return p->failed ? NULL : n;
}

/* Ut [<number>] _ */
struct node *itanium_unnamed(struct itanium *p)
{
	struct node *n;

	advance(p, 2);
	n = node_num(p, NODE_UNNAMED, NULL, itanium_compact_number(p));
	stack_push(p, &p->subs, n);
	return p->failed ? NULL : n;
}
