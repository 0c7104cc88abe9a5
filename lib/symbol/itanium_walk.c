/* SPDX-License-Identifier: MIT */
/*
 * The walks that change the tree of a C++ name.  A walk copies only what
 * changes, so that large parts stay shared, and meets a shared part once: its
 * other uses keep the part as it was before.  That is what pprof's demangler
 * does, and names depend on it.
 */
#include "symbol/itanium.h"

/*
 * In which order a walk visits the children of each kind: digits are kids, a
 * and b lists.
 */
static const char *const walk_order[NODE_KINDS] = {
	[NODE_NAME] = "",
	[NODE_TYPED] = "01",
	[NODE_QUALIFIED] = "01",
	[NODE_TEMPLATE] = "0a",
	[NODE_TEMPLATE_PARAM] = "",
	[NODE_LAMBDA_AUTO] = "",
	[NODE_DECLARED_ARG] = "01",
	[NODE_QUALIFIERS] = "a",
	[NODE_QUALIFIER] = "a",
	[NODE_QUALIFIED_TYPE] = "01",
	[NODE_QUALIFIED_METHOD] = "01",
	[NODE_BUILTIN] = "",
	[NODE_POINTER] = "0",
	[NODE_REFERENCE] = "0",
	[NODE_RVALUE] = "0",
	[NODE_COMPLEX] = "0",
	[NODE_IMAGINARY] = "0",
	[NODE_SUFFIXED_TYPE] = "0",
	[NODE_TRANSFORMED_TYPE] = "0",
	[NODE_VENDOR_TYPE] = "01",
	[NODE_ARRAY] = "01",
	[NODE_FUNCTION] = "0a",
	[NODE_FUNCTION_PARAM] = "",
	[NODE_MEMBER_POINTER] = "01",
	[NODE_FIXED_POINT] = "0",
	[NODE_FLOAT_BITS] = "",
	[NODE_BIT_INT] = "0",
	[NODE_VECTOR] = "01",
	[NODE_ELABORATED] = "0",
	[NODE_DECLTYPE] = "0",
	[NODE_OPERATOR] = "",
	[NODE_CONSTRUCTOR] = "01",
	[NODE_DESTRUCTOR] = "0",
	[NODE_GLOBAL_INIT] = "0",
	[NODE_TAGGED] = "01",
	[NODE_PACK_EXPANSION] = "0",
	[NODE_PACK] = "a",
	[NODE_SIZEOF_PACK] = "",
	[NODE_SIZEOF_ARGS] = "a",
	[NODE_PARAM_NAME] = "",
	[NODE_TYPE_PARAM] = "0",
	[NODE_VALUE_PARAM] = "01",
	[NODE_TEMPLATE_TEMPLATE] = "0a1",
	[NODE_CONSTRAINED_PARAM] = "01",
	[NODE_PARAM_PACK] = "0",
	[NODE_CAST] = "0",
	[NODE_NULLARY] = "0",
	[NODE_UNARY] = "01",
	[NODE_BINARY] = "012",
	[NODE_TERNARY] = "0123",
	[NODE_FOLD] = "012",
	[NODE_SUBOBJECT] = "01",
	[NODE_MEMBER_CAST] = "01",
	[NODE_NEW] = "0123",
	[NODE_LITERAL] = "0",
	[NODE_STRING_LITERAL] = "0",
	[NODE_LAMBDA_EXPRESSION] = "0",
	[NODE_EXPRESSIONS] = "a",
	[NODE_INITIALIZER_LIST] = "01",
	[NODE_DEFAULT_ARG] = "0",
	[NODE_CLOSURE] = "a0b1",
	[NODE_BINDINGS] = "a",
	[NODE_UNNAMED] = "",
	[NODE_CLONE] = "0",
	[NODE_SPECIAL] = "0",
	[NODE_CONSTRUCTION_VTABLE] = "01",
	[NODE_ENABLE_IF] = "0a",
	[NODE_MODULE_NAME] = "01",
	[NODE_MODULE_ENTITY] = "01",
	[NODE_FRIEND] = "0",
	[NODE_CONSTRAINT] = "01",
	[NODE_REQUIRES] = "ab",
	[NODE_EXPRESSION_REQ] = "01",
	[NODE_TYPE_REQ] = "0",
	[NODE_NESTED_REQ] = "0",
	[NODE_OBJECT_PARAM] = "0",
};

/* A node that a walk inside another walk has met: what to put back. */
struct met {
	struct met *next;
	struct node *node;
	uint32_t seen;
};

/* A walk: what it does with each node, and which nodes it has met. */
struct walk {
	struct itanium *parser;
	uint32_t number;
	struct met *met;
	/* Returns what takes the node's place, or NULL to keep it. */
	struct node *(*edit)(struct walk *w, struct node *n);
	/* Whether to leave the node and all below it as they are. */
	bool (*skip)(struct walk *w, struct node *n);
	struct node *from; /* the walk's own, as is the rest */
	struct node *to;
	struct node_stack templates;
	struct level *levels;
};

static void walk_start(struct walk *w)
{
	w->number = ++w->parser->walks;
	w->parser->nested++;
}

static void walk_end(struct walk *w)
{
	for (struct met *m = w->met; m; m = m->next)
		m->node->seen = m->seen;
	w->parser->nested--;
}

/* Whether the walk has met the node before. */
static bool walk_met(struct walk *w, struct node *n)
{
	if (n->seen == w->number)
		return true;
	if (w->parser->nested > 1) {
		struct met *m = itanium_alloc(w->parser, sizeof(*m));

		if (!m)
			return true;
		*m = (struct met){ .next = w->met, .node = n, .seen = n->seen };
		w->met = m;
	}
	n->seen = w->number;
	return false;
}

static struct node *walk_copy(struct walk *w, struct node *n);

/* Copies the list if anything in it changes; whether it did. */
static bool walk_list(struct walk *w, struct node_list *list)
{
	struct node **fresh = NULL;

	for (uint32_t i = 0; i < list->count && !w->parser->failed; i++) {
		struct node *changed = walk_copy(w, list->at[i]);

		if (!changed)
			continue;
		if (!fresh) {
			fresh = itanium_alloc(w->parser,
					      list->count * sizeof(*fresh));
			if (!fresh)
				return false;
			memcpy(fresh, list->at, list->count * sizeof(*fresh));
		}
		fresh[i] = changed;
	}
	if (!fresh)
		return false;
	list->at = fresh;
	return true;
}

/* Walks one child, given as in walk_order; whether it changed. */
static bool walk_child(struct walk *w, struct node *n, char which)
{
	struct node *changed;

	if (which >= 'a')
		return walk_list(w, &n->list[which - 'a']);
	if (!n->kid[which - '0'])
		return false;
	changed = walk_copy(w, n->kid[which - '0']);
	if (!changed)
		return false;
	n->kid[which - '0'] = changed;
	return true;
}

static struct node *walk_copy(struct walk *w, struct node *n)
{
	struct itanium *p = w->parser;
	struct node copy;
	struct node *fresh;
	struct node *edited;
	bool changed = n->kind == NODE_SIZEOF_PACK;

	if (!itanium_spend(p) || w->skip(w, n))
		return NULL;
	if (!itanium_enter(p))
		return NULL;
	copy = *n;
	for (const char *c = walk_order[n->kind]; *c; c++)
		changed |= walk_child(w, &copy, *c);
	p->depth--;
	if (p->failed)
		return NULL;
	if (!changed)
		return w->edit(w, n);

	/* The two slips of pprof's that can be seen in names. */
	if (n->kind == NODE_VENDOR_TYPE)
		copy.kid[1] = n->kid[1];
	if (n->kind == NODE_EXPRESSION_REQ)
		copy.flag = false;
	fresh = node_new(p, n->kind, NULL, NULL);
	if (!fresh)
		return NULL;
	copy.printing = 0;
	copy.seen = 0;
	*fresh = copy;
	edited = w->edit(w, fresh);
	return edited ? edited : fresh;
}

static struct node *walk_run(struct walk *w, struct node *n)
{
	struct node *changed;

	if (w->parser->failed)
		return NULL;
	walk_start(w);
	changed = walk_copy(w, n);
	walk_end(w);
	return changed ? changed : n;
}

static bool has_qualifier(const struct node_list *list, struct span text)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (!list->at[i]->list[0].count &&
		    span_equal(list->at[i]->text, text))
			return true;
	return false;
}

struct node *itanium_merge_qualifiers(struct itanium *p, struct node *a,
				      struct node *b)
{
	if (!a || !b)
		return a ? a : b;

	struct node_list from = b->list[0];

	for (uint32_t i = 0; i < from.count; i++) {
		struct node *q = from.at[i];

		if (q->list[0].count || !has_qualifier(&a->list[0], q->text))
			list_append(p, &a->list[0], q);
	}
	return a;
}

static struct node *new_qualified(struct itanium *p, enum node_kind kind,
				  struct node *base, struct node *outer,
				  struct node *inner)
{
	struct node *merged = itanium_merge_qualifiers(p, outer->kid[1],
						       inner->kid[1]);
	struct node *n = node_new(p, kind, base, merged);

	if (n && kind == NODE_QUALIFIED_METHOD)
		n->num = outer->kind == kind ? outer->num : inner->num;
	return n;
}

static struct node *simplify_method(struct itanium *p, struct node *n)
{
	struct node *in = n->kid[0];
	struct node *merged;

	if (!node_is(in, NODE_QUALIFIED_METHOD) &&
	    !node_is(in, NODE_QUALIFIED_TYPE))
		return NULL;
	merged = new_qualified(p, NODE_QUALIFIED_METHOD, in->kid[0], n, in);
	if (!merged || in->kind != NODE_QUALIFIED_METHOD)
		return merged;
	/* & and && together are &. */
	if (!n->num || (in->num && in->num < n->num))
		merged->num = in->num;
	return merged;
}

static struct node *simplify_type(struct itanium *p, struct node *n)
{
	struct node *in = n->kid[0];

	if (node_is(in, NODE_FUNCTION))
		return node_new(p, NODE_QUALIFIED_METHOD, in, n->kid[1]);
	if (node_is(in, NODE_QUALIFIED_TYPE) ||
	    node_is(in, NODE_QUALIFIED_METHOD))
		return new_qualified(p, in->kind, in->kid[0], n, in);
	return NULL;
}

/* References to references collapse: only && of && stays &&. */
static struct node *simplify_reference(struct itanium *p, struct node *n)
{
	struct node *in = n->kid[0];

	if (node_is(in, NODE_REFERENCE))
		return in;
	if (!node_is(in, NODE_RVALUE))
		return NULL;
	if (n->kind == NODE_RVALUE)
		return in;
	return node_new(p, NODE_REFERENCE, in->kid[0], NULL);
}

/* The qualifiers of an array's elements are those of the array. */
static struct node *simplify_array(struct itanium *p, struct node *n)
{
	struct node *in = n->kid[1];

	if (!node_is(in, NODE_QUALIFIED_TYPE))
		return NULL;
	return node_new(p, NODE_QUALIFIED_TYPE,
			node_new(p, NODE_ARRAY, n->kid[0], in->kid[0]),
			in->kid[1]);
}

static struct node *replace_pack(struct walk *w, struct node *n)
{
	return n == w->from ? w->to : NULL;
}

static bool skip_expansions(struct walk *w, struct node *n)
{
	return n->kind == NODE_PACK_EXPANSION || walk_met(w, n);
}

/* The pattern once for each argument of the pack. */
static struct node *expand_pack(struct itanium *p, struct node *n)
{
	struct node_list args = n->ref->list[0];
	struct node_list made = { 0 };

	if (args.count) {
		made.at = itanium_alloc(p, args.count * sizeof(*made.at));
		if (!made.at)
			return NULL;
	}
	for (; made.count < args.count && !p->failed; made.count++) {
		struct walk w = {
			.parser = p,
			.edit = replace_pack,
			.skip = skip_expansions,
			.from = n->ref,
			.to = args.at[made.count],
		};
		struct node *one = walk_run(&w, n->kid[0]);

		made.at[made.count] = itanium_simplify(p, one);
	}
	return node_listed(p, NODE_EXPRESSIONS, NULL, made);
}

static struct node *simplify_edit(struct walk *w, struct node *n)
{
	switch (n->kind) {
	case NODE_TEMPLATE_PARAM:
		if (n->ref && (uint32_t)n->num < n->ref->list[0].count)
			return n->ref->list[0].at[n->num];
		return NULL;
	case NODE_QUALIFIED_METHOD:
		return simplify_method(w->parser, n);
	case NODE_QUALIFIED_TYPE:
		return simplify_type(w->parser, n);
	case NODE_REFERENCE:
	case NODE_RVALUE:
		return simplify_reference(w->parser, n);
	case NODE_ARRAY:
		return simplify_array(w->parser, n);
	case NODE_PACK_EXPANSION:
		return n->ref ? expand_pack(w->parser, n) : NULL;
	default:
		return NULL;
	}
}

struct node *itanium_simplify(struct itanium *p, struct node *n)
{
	struct walk w = {
		.parser = p,
		.edit = simplify_edit,
		.skip = walk_met,
	};

	return p->failed ? NULL : walk_run(&w, n);
}

/* The parser's lambda_level outside the lambda that a walk is in. */
struct level {
	struct level *outer;
	uint32_t level;
};

static void level_push(struct walk *w, uint32_t level)
{
	struct level *l = itanium_alloc(w->parser, sizeof(*l));

	if (!l)
		return;
	*l = (struct level){ .outer = w->levels,
			     .level = w->parser->lambda_level };
	w->levels = l;
	w->parser->lambda_level = level;
}

static void level_pop(struct walk *w)
{
	if (!w->levels)
		return;
	w->parser->lambda_level = w->levels->level;
	w->levels = w->levels->outer;
}

/* On the way down: functions and lambdas bring scopes of their own. */
static bool resubstitute_skip(struct walk *w, struct node *n)
{
	switch (n->kind) {
	case NODE_TYPED:
		if (node_is(n->kid[0], NODE_TEMPLATE)) {
			stack_push(w->parser, &w->templates, n->kid[0]);
			level_push(w, 0);
		}
		return false;
	case NODE_CLOSURE:
		level_push(w, w->templates.count + 1);
		return false;
	case NODE_TEMPLATE_PARAM:
	case NODE_LAMBDA_AUTO:
		return false;
	default:
		return walk_met(w, n);
	}
}

/* The parameter of the same number in the scope that the walk is in. */
static struct node *resubstitute_param(struct walk *w, struct node *n)
{
	struct itanium *p = w->parser;
	struct node *template = w->from;
	struct node *fresh;

	if (p->lambda_level) {
		if (n->kind == NODE_LAMBDA_AUTO)
			return NULL;
		return node_num(p, NODE_LAMBDA_AUTO, NULL, n->num);
	}
	if (w->templates.count)
		template = w->templates.at[w->templates.count - 1];
	else if (!node_is(template, NODE_TEMPLATE))
		return itanium_fail(p);
	if (template && (uint32_t)n->num >= template->list[0].count)
		return itanium_fail(p);

	fresh = node_num(p, NODE_TEMPLATE_PARAM, NULL, n->num);
	if (fresh)
		fresh->ref = template;
	return fresh;
}

/* In a constraint a parameter is called by its number. */
static struct node *param_by_number(struct itanium *p, int32_t num)
{
	struct text t = { .at = itanium_alloc(p, 16), .size = 16 };

	if (!t.at)
		return NULL;
	text_char(&t, 'T');
	text_number(&t, (uint64_t)num);
	return node_text(p, NODE_NAME, NULL, span_of(t.at, t.used));
}

static struct node *resubstitute_edit(struct walk *w, struct node *n)
{
	switch (n->kind) {
	case NODE_TYPED:
		if (node_is(n->kid[0], NODE_TEMPLATE)) {
			w->templates.count--;
			level_pop(w);
		}
		return NULL;
	case NODE_CLOSURE:
		level_pop(w);
		return NULL;
	case NODE_TEMPLATE_PARAM:
	case NODE_LAMBDA_AUTO:
		if (w->parser->in_constraint)
			return param_by_number(w->parser, n->num);
		return resubstitute_param(w, n);
	default:
		return NULL;
	}
}

struct node *itanium_resubstitute(struct itanium *p, struct node *n)
{
	struct walk w = {
		.parser = p,
		.edit = resubstitute_edit,
		.skip = resubstitute_skip,
		.from = n,
		.templates = p->templates,
	};

	/* A push must not overwrite what the parser still has. */
	w.templates.capacity = w.templates.count;
	return walk_run(&w, n);
}

/* What a traversal does with a node: whether to go on below it. */
typedef bool visit_fn(struct walk *w, struct node *n);

static void traverse(struct walk *w, struct node *n, visit_fn *visit)
{
	struct itanium *p = w->parser;

	if (!n || !itanium_spend(p) || !visit(w, n) || !itanium_enter(p))
		return;
	for (const char *c = walk_order[n->kind]; *c && !p->failed; c++) {
		const struct node_list *list = &n->list[*c == 'b'];

		/* Qualifiers are not looked into. */
		if (*c == '1' && (n->kind == NODE_QUALIFIED_TYPE ||
				  n->kind == NODE_QUALIFIED_METHOD))
			break;
		if (*c < 'a')
			traverse(w, n->kid[*c - '0'], visit);
		for (uint32_t i = 0; *c >= 'a' && i < list->count; i++)
			traverse(w, list->at[i], visit);
	}
	p->depth--;
}

static bool visit_params(struct walk *w, struct node *n)
{
	struct node *template = w->to;

	if (n->kind == NODE_CLOSURE)
		return false;
	if (n->kind != NODE_TEMPLATE_PARAM)
		return !walk_met(w, n);
	if (n->ref) {
		if (template)
			itanium_fail(w->parser);
		return false;
	}
	if (!template || (uint32_t)n->num >= template->list[0].count)
		itanium_fail(w->parser);
	n->ref = template;
	return false;
}

void itanium_set_template(struct itanium *p, struct node *n,
			  struct node *template)
{
	struct walk w = { .parser = p, .to = template };

	if (p->failed)
		return;
	walk_start(&w);
	traverse(&w, n, visit_params);
	walk_end(&w);
}

static bool visit_packs(struct walk *w, struct node *n)
{
	struct node *arg;

	if (w->to)
		return false;
	switch (n->kind) {
	case NODE_TEMPLATE_PARAM:
		if (!n->ref || (uint32_t)n->num >= n->ref->list[0].count)
			return false;
		arg = n->ref->list[0].at[n->num];
		if (node_is(arg, NODE_PACK))
			w->to = arg;
		return false;
	case NODE_PACK_EXPANSION:
	case NODE_CLOSURE:
	case NODE_NAME:
	case NODE_TAGGED:
	case NODE_OPERATOR:
	case NODE_BUILTIN:
	case NODE_FUNCTION_PARAM:
	case NODE_UNNAMED:
	case NODE_FIXED_POINT:
	case NODE_DEFAULT_ARG:
		return false;
	default:
		return !walk_met(w, n);
	}
}

struct node *itanium_find_pack(struct itanium *p, struct node *n)
{
	struct walk w = { .parser = p };

	if (p->failed)
		return NULL;
	walk_start(&w);
	traverse(&w, n, visit_packs);
	walk_end(&w);
	return w.to;
}
