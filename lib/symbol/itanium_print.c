/* SPDX-License-Identifier: MIT */
/*
 * Writes the tree of a C++ name.  Spaces and parentheses are those of the GNU
 * demangler, which pprof's follows.
 */
#include "symbol/itanium_print.h"

#include "symbol/demangle.h"

static print_fn *const print_kinds[NODE_KINDS];

static void put(struct printer *pr, const char *s)
{
	text_put(pr->out, s);
}

/* As pprof does, without noticing what the last character is now. */
static void put_number_unnoticed(struct printer *pr, const char *before,
				 int32_t n, const char *after)
{
	char last = pr->out->last;

	put(pr, before);
	text_number(pr->out, (uint64_t)(uint32_t)n);
	put(pr, after);
	pr->out->last = last;
}

void print_direct(struct printer *pr, struct node *n)
{
	struct itanium *p = pr->parser;

	if (!n || p->failed || pr->out->failed || !itanium_enter(p))
		return;
	print_kinds[n->kind](pr, n);
	p->depth--;
}

/*
 * A type that contains itself by way of a substitution is written once within
 * itself, where other inner types apply, and no more.
 */
void print_node(struct printer *pr, struct node *n)
{
	if (!n || n->printing > 1)
		return;
	n->printing++;
	print_direct(pr, n);
	n->printing--;
}

bool is_empty(const struct node *n)
{
	switch (n->kind) {
	case NODE_PACK:
		for (uint32_t i = 0; i < n->list[0].count; i++)
			if (!is_empty(n->list[0].at[i]))
				return false;
		return true;
	case NODE_EXPRESSIONS:
		return !n->list[0].count;
	case NODE_PACK_EXPANSION:
		return n->ref && is_empty(n->kid[0]);
	default:
		return false;
	}
}

void print_list(struct printer *pr, struct node_list list, bool skip_empty)
{
	bool first = true;

	for (uint32_t i = 0; i < list.count; i++) {
		if (skip_empty && is_empty(list.at[i]))
			continue;
		if (!first)
			put(pr, ", ");
		print_node(pr, list.at[i]);
		first = false;
	}
}

/* The list of inner types. */

static uint32_t inner_count(const struct printer *pr)
{
	return pr->inner.count - pr->base;
}

static void inner_push(struct printer *pr, struct node *n)
{
	stack_push(pr->parser, &pr->inner, n);
}

static struct node *inner_top(const struct printer *pr)
{
	return pr->inner.at[pr->inner.count - 1];
}

/* Starts a list of its own; returns what inner_restore() wants. */
static uint32_t inner_fresh(struct printer *pr)
{
	uint32_t base = pr->base;

	pr->base = pr->inner.count;
	return base;
}

static void inner_restore(struct printer *pr, uint32_t base)
{
	pr->inner.count = pr->base;
	pr->base = base;
}

static void print_qualifiers_after(struct printer *pr, struct node *n)
{
	if (n->kid[1]) {
		put(pr, " ");
		print_node(pr, n->kid[1]);
	}
	if (n->kind == NODE_QUALIFIED_METHOD && n->num)
		put(pr, n->num == 1 ? " &" : " &&");
}

static void print_inner_list(struct printer *pr);

static void print_inner(struct printer *pr, struct node *n);

/* [dimension], after what the array is an element of or pointed to by. */
static void print_dimension(struct printer *pr, struct node *n)
{
	const char *space = " ";

	while (inner_count(pr) && !pr->parser->failed) {
		struct node *top = inner_top(pr);
		struct node *in = top->kind == NODE_QUALIFIED_TYPE ? top->kid[0]
								   : top;

		if (in->kind == NODE_ARRAY) {
			if (in == top)
				space = "";
			pr->inner.count--;
			print_inner(pr, top);
			continue;
		}
		put(pr, " (");
		print_inner_list(pr);
		put(pr, ")");
	}
	put(pr, space);
	put(pr, "[");
	print_node(pr, n->kid[0]);
	put(pr, "]");
}

static bool needs_parentheses(const struct printer *pr, bool *ret_space)
{
	for (uint32_t i = pr->inner.count; i > pr->base; i--) {
		switch (pr->inner.at[i - 1]->kind) {
		case NODE_POINTER:
		case NODE_REFERENCE:
		case NODE_RVALUE:
			return true;
		case NODE_QUALIFIED_TYPE:
		case NODE_COMPLEX:
		case NODE_IMAGINARY:
		case NODE_MEMBER_POINTER:
			*ret_space = true;
			return true;
		default:
			break;
		}
	}
	return false;
}

/*
 * Writes the inner types before a function's parameters.  The qualifiers of
 * methods come after them and are kept; returns how many.
 */
static uint32_t print_before_params(struct printer *pr)
{
	uint32_t kept = 0;

	while (inner_count(pr) && !pr->parser->failed) {
		struct node *n = inner_top(pr);

		pr->inner.count--;
		if (n->kind == NODE_QUALIFIED_METHOD) {
			stack_push(pr->parser, &pr->saved, n);
			kept++;
		} else {
			print_inner(pr, n);
		}
	}
	return kept;
}

static void print_params(struct printer *pr, struct node *n)
{
	bool space = false;
	bool parens = needs_parentheses(pr, &space);
	char last = pr->out->last;
	uint32_t kept;

	if (parens) {
		space |= last != '(' && last != '*';
		if (space && last != ' ')
			put(pr, " ");
		put(pr, "(");
	}
	kept = print_before_params(pr);
	if (parens)
		put(pr, ")");

	put(pr, "(");
	if (!n->flag || !(pr->flags & DEMANGLE_NO_ENCLOSING))
		print_list(pr, n->list[0], true);
	put(pr, ")");

	pr->inner.count = pr->base;
	if (pr->parser->failed)
		return;
	pr->saved.count -= kept;
	for (uint32_t i = 0; i < kept; i++)
		inner_push(pr, pr->saved.at[pr->saved.count + i]);
	print_inner_list(pr);
}

/* Writes a type that was put on the list. */
static void print_inner(struct printer *pr, struct node *n)
{
	switch (n->kind) {
	case NODE_TYPED:
	case NODE_VALUE_PARAM:
	case NODE_CONSTRAINED_PARAM:
		print_node(pr, n->kid[0]);
		break;
	case NODE_QUALIFIED_TYPE:
	case NODE_QUALIFIED_METHOD:
		print_qualifiers_after(pr, n);
		break;
	case NODE_POINTER:
		put(pr, "*");
		break;
	case NODE_REFERENCE:
		put(pr, "&");
		break;
	case NODE_RVALUE:
		put(pr, "&&");
		break;
	case NODE_COMPLEX:
		put(pr, " _Complex");
		break;
	case NODE_IMAGINARY:
		put(pr, " _Imaginary");
		break;
	case NODE_SUFFIXED_TYPE:
		put(pr, " ");
		text_span(pr->out, n->text);
		break;
	case NODE_VENDOR_TYPE:
		put(pr, " ");
		print_node(pr, n->kid[0]);
		break;
	case NODE_ARRAY:
		print_dimension(pr, n);
		break;
	case NODE_FUNCTION:
		print_params(pr, n);
		break;
	case NODE_MEMBER_POINTER:
		if (pr->out->last != '(')
			put(pr, " ");
		print_node(pr, n->kid[0]);
		put(pr, "::*");
		break;
	case NODE_VECTOR:
		put(pr, " __vector(");
		print_node(pr, n->kid[0]);
		put(pr, ")");
		break;
	case NODE_PARAM_PACK:
		put(pr, "...");
		if (n->kid[0]->kind == NODE_VALUE_PARAM)
			print_node(pr, n->kid[0]->kid[0]);
		break;
	default:
		print_node(pr, n);
		break;
	}
}

static void print_inner_list(struct printer *pr)
{
	while (inner_count(pr) && !pr->parser->failed) {
		struct node *n = inner_top(pr);

		pr->inner.count--;
		print_inner(pr, n);
	}
}

/* Names. */

static void print_text(struct printer *pr, struct node *n)
{
	text_span(pr->out, n->text);
}

static void print_typed(struct printer *pr, struct node *n)
{
	uint32_t base = inner_fresh(pr);

	inner_push(pr, n);
	print_node(pr, n->kid[1]);
	if (inner_count(pr)) {
		put(pr, " ");
		print_node(pr, n->kid[0]);
	}
	inner_restore(pr, base);
}

static void print_qualified(struct printer *pr, struct node *n)
{
	if (print_folded(pr, n))
		return;
	print_node(pr, n->kid[0]);
	put(pr, "::");
	print_node(pr, n->kid[1]);
}

static void print_template_args(struct printer *pr, struct node *n)
{
	struct node_list args = n->list[0];

	args.count = shown_args(pr, n);
	/* operator< <...> */
	if (pr->out->last == '<')
		put(pr, " ");
	put(pr, "<");
	print_list(pr, args, true);
	if (pr->out->last == '>' && !(pr->flags & DEMANGLE_FOLD_STD))
		put(pr, " ");
	put(pr, ">");
}

static void print_template(struct printer *pr, struct node *n)
{
	uint32_t base = inner_fresh(pr);

	if (!print_folded(pr, n)) {
		print_node(pr, n->kid[0]);
		if (!(pr->flags & DEMANGLE_NO_TEMPLATES))
			print_template_args(pr, n);
	}
	inner_restore(pr, base);
}

/* A parameter that simplifying did not replace. */
static void print_template_param(struct printer *pr, struct node *n)
{
	if (!n->ref || (uint32_t)n->num >= n->ref->list[0].count)
		itanium_fail(pr->parser);
	else
		print_node(pr, n->ref->list[0].at[n->num]);
}

static void print_lambda_auto(struct printer *pr, struct node *n)
{
	put_number_unnoticed(pr, "auto:", n->num + 1, "");
}

static void print_second(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[1]);
}

static void print_first(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
}

static void print_operator(struct printer *pr, struct node *n)
{
	struct span name = n->text;

	put(pr, "operator");
	if (is_lower(name.at[0]))
		put(pr, " ");
	if (name.at[name.len - 1] == ' ')
		name.len--;
	text_span(pr->out, name);
}

static void print_destructor(struct printer *pr, struct node *n)
{
	put(pr, "~");
	print_node(pr, n->kid[0]);
}

static void print_global_init(struct printer *pr, struct node *n)
{
	put(pr, n->flag ? "global constructors keyed to "
			: "global destructors keyed to ");
	print_node(pr, n->kid[0]);
}

static void print_tagged(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	if (pr->flags & DEMANGLE_FOLD_STD)
		return;
	put(pr, "[abi:");
	print_node(pr, n->kid[1]);
	put(pr, "]");
}

static void print_cast(struct printer *pr, struct node *n)
{
	put(pr, "operator ");
	print_node(pr, n->kid[0]);
}

static void print_default_arg(struct printer *pr, struct node *n)
{
	put_number_unnoticed(pr, "{default arg#", n->num + 1, "}::");
	print_node(pr, n->kid[0]);
}

static void print_bindings(struct printer *pr, struct node *n)
{
	put(pr, "[");
	print_list(pr, n->list[0], false);
	put(pr, "]");
}

static void print_unnamed(struct printer *pr, struct node *n)
{
	put(pr, "{unnamed type#");
	text_number(pr->out, (uint64_t)n->num + 1);
	put(pr, "}");
}

static void print_clone(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	put(pr, " [clone ");
	text_span(pr->out, n->text);
	put(pr, "]");
}

static void print_special(struct printer *pr, struct node *n)
{
	text_span(pr->out, n->text);
	print_node(pr, n->kid[0]);
}

static void print_construction_vtable(struct printer *pr, struct node *n)
{
	put(pr, "construction vtable for ");
	print_node(pr, n->kid[0]);
	put(pr, "-in-");
	print_node(pr, n->kid[1]);
}

static void print_enable_if(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	put(pr, " [enable_if:");
	print_list(pr, n->list[0], false);
	put(pr, "]");
}

static void print_module_name(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	if (n->flag)
		put(pr, ":");
	else if (n->kid[0])
		put(pr, ".");
	print_node(pr, n->kid[1]);
}

static void print_module_entity(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[1]);
	put(pr, "@");
	print_node(pr, n->kid[0]);
}

static void print_friend(struct printer *pr, struct node *n)
{
	put(pr, "friend ");
	print_node(pr, n->kid[0]);
}

static void print_constraint(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	put(pr, " requires ");
	print_node(pr, n->kid[1]);
}

/* Types. */

static void print_qualifiers(struct printer *pr, struct node *n)
{
	for (uint32_t i = 0; i < n->list[0].count; i++) {
		if (i)
			put(pr, " ");
		print_direct(pr, n->list[0].at[i]);
	}
}

static void print_qualifier(struct printer *pr, struct node *n)
{
	bool first = true;

	text_span(pr->out, n->text);
	if (!n->list[0].count)
		return;
	put(pr, "(");
	for (uint32_t i = 0; i < n->list[0].count; i++) {
		struct node *e = n->list[0].at[i];

		if (e->kind == NODE_EXPRESSIONS && !e->list[0].count)
			continue;
		if (!first)
			put(pr, ", ");
		print_node(pr, e);
		first = false;
	}
	put(pr, ")");
}

/* A type that wraps the type in kid[which]. */
static void print_wrapper(struct printer *pr, struct node *n, int which)
{
	inner_push(pr, n);
	print_node(pr, n->kid[which]);
	if (!inner_count(pr) || pr->parser->failed)
		return;
	print_inner(pr, n);
	if (inner_count(pr))
		pr->inner.count--;
}

static void print_wrapper_first(struct printer *pr, struct node *n)
{
	print_wrapper(pr, n, 0);
}

/* The same, but what is then on top of the list is written, itself or not. */
static void print_wrapper_second(struct printer *pr, struct node *n)
{
	struct node *top;

	inner_push(pr, n);
	print_node(pr, n->kid[1]);
	if (!inner_count(pr) || pr->parser->failed)
		return;
	top = inner_top(pr);
	pr->inner.count--;
	print_inner(pr, top);
}

static void print_array(struct printer *pr, struct node *n)
{
	inner_push(pr, n);
	print_node(pr, n->kid[1]);
	if (!inner_count(pr) || pr->parser->failed)
		return;
	pr->inner.count--;
	print_dimension(pr, n);
}

static void print_function(struct printer *pr, struct node *n)
{
	if (n->kid[0] && !n->flag) {
		inner_push(pr, n);
		print_node(pr, n->kid[0]);
		if (!inner_count(pr) || pr->parser->failed)
			return;
		pr->inner.count--;
		put(pr, " ");
	}
	print_params(pr, n);
}

static void print_function_param(struct printer *pr, struct node *n)
{
	if (n->num)
		put_number_unnoticed(pr, "{parm#", n->num, "}");
	else
		put(pr, "this");
}

static void print_fixed_point(struct printer *pr, struct node *n)
{
	if (n->flag2)
		put(pr, "_Sat ");
	if (!node_is(n->kid[0], NODE_BUILTIN) || n->kid[0]->num != 'i') {
		print_node(pr, n->kid[0]);
		put(pr, " ");
	}
	put(pr, n->flag ? "_Accum" : "_Fract");
}

static void print_float_bits(struct printer *pr, struct node *n)
{
	put_number_unnoticed(pr, "_Float", n->num, "");
}

static void print_bit_int(struct printer *pr, struct node *n)
{
	put(pr, n->flag ? "_BitInt(" : "unsigned _BitInt(");
	print_node(pr, n->kid[0]);
	put(pr, ")");
}

static void print_transformed(struct printer *pr, struct node *n)
{
	text_span(pr->out, n->text);
	put(pr, "(");
	print_node(pr, n->kid[0]);
	put(pr, ")");
}

static void print_elaborated(struct printer *pr, struct node *n)
{
	text_span(pr->out, n->text);
	put(pr, " ");
	print_direct(pr, n->kid[0]);
}

static void print_decltype(struct printer *pr, struct node *n)
{
	put(pr, "decltype (");
	print_node(pr, n->kid[0]);
	put(pr, ")");
}

static void print_object_param(struct printer *pr, struct node *n)
{
	put(pr, "this ");
	print_node(pr, n->kid[0]);
}

/* Parameters that a lambda declares. */

static void print_param_name(struct printer *pr, struct node *n)
{
	text_span(pr->out, n->text);
	if (n->num)
		text_number(pr->out, (uint64_t)n->num - 1);
}

static void print_type_param(struct printer *pr, struct node *n)
{
	put(pr, "typename ");
	print_inner_list(pr);
	print_node(pr, n->kid[0]);
}

static void print_value_param(struct printer *pr, struct node *n)
{
	inner_push(pr, n);
	print_node(pr, n->kid[1]);
	if (!inner_count(pr) || pr->parser->failed)
		return;
	put(pr, " ");
	print_node(pr, n->kid[0]);
	if (inner_count(pr))
		pr->inner.count--;
}

static void print_template_template(struct printer *pr, struct node *n)
{
	put(pr, "template<");
	print_list(pr, n->list[0], false);
	put(pr, "> typename ");
	print_node(pr, n->kid[0]);
	if (n->kid[1]) {
		put(pr, " requires ");
		print_node(pr, n->kid[1]);
	}
}

static void print_param_pack(struct printer *pr, struct node *n)
{
	uint32_t base = inner_fresh(pr);
	struct node *param = n->kid[0];

	inner_push(pr, n);
	print_node(pr, param->kind == NODE_VALUE_PARAM ? param->kid[1] : param);
	if (inner_count(pr))
		put(pr, "...");
	inner_restore(pr, base);
}

static print_fn *const print_kinds[NODE_KINDS] = {
	[NODE_NAME] = print_text,
	[NODE_TYPED] = print_typed,
	[NODE_QUALIFIED] = print_qualified,
	[NODE_TEMPLATE] = print_template,
	[NODE_TEMPLATE_PARAM] = print_template_param,
	[NODE_LAMBDA_AUTO] = print_lambda_auto,
	[NODE_DECLARED_ARG] = print_second,
	[NODE_QUALIFIERS] = print_qualifiers,
	[NODE_QUALIFIER] = print_qualifier,
	[NODE_QUALIFIED_TYPE] = print_wrapper_first,
	[NODE_QUALIFIED_METHOD] = print_wrapper_first,
	[NODE_BUILTIN] = print_text,
	[NODE_POINTER] = print_wrapper_first,
	[NODE_REFERENCE] = print_wrapper_first,
	[NODE_RVALUE] = print_wrapper_first,
	[NODE_COMPLEX] = print_wrapper_first,
	[NODE_IMAGINARY] = print_wrapper_first,
	[NODE_SUFFIXED_TYPE] = print_wrapper_first,
	[NODE_TRANSFORMED_TYPE] = print_transformed,
	[NODE_VENDOR_TYPE] = print_wrapper_second,
	[NODE_ARRAY] = print_array,
	[NODE_FUNCTION] = print_function,
	[NODE_FUNCTION_PARAM] = print_function_param,
	[NODE_MEMBER_POINTER] = print_wrapper_second,
	[NODE_FIXED_POINT] = print_fixed_point,
	[NODE_FLOAT_BITS] = print_float_bits,
	[NODE_BIT_INT] = print_bit_int,
	[NODE_VECTOR] = print_wrapper_second,
	[NODE_ELABORATED] = print_elaborated,
	[NODE_DECLTYPE] = print_decltype,
	[NODE_OPERATOR] = print_operator,
	[NODE_CONSTRUCTOR] = print_first,
	[NODE_DESTRUCTOR] = print_destructor,
	[NODE_GLOBAL_INIT] = print_global_init,
	[NODE_TAGGED] = print_tagged,
	[NODE_PACK_EXPANSION] = print_pack_expansion,
	[NODE_PACK] = print_pack,
	[NODE_SIZEOF_PACK] = print_sizeof_pack,
	[NODE_SIZEOF_ARGS] = print_sizeof_args,
	[NODE_PARAM_NAME] = print_param_name,
	[NODE_TYPE_PARAM] = print_type_param,
	[NODE_VALUE_PARAM] = print_value_param,
	[NODE_TEMPLATE_TEMPLATE] = print_template_template,
	[NODE_CONSTRAINED_PARAM] = print_value_param,
	[NODE_PARAM_PACK] = print_param_pack,
	[NODE_CAST] = print_cast,
	[NODE_NULLARY] = print_nullary,
	[NODE_UNARY] = print_unary,
	[NODE_BINARY] = print_binary,
	[NODE_TERNARY] = print_ternary,
	[NODE_FOLD] = print_fold,
	[NODE_SUBOBJECT] = print_subobject,
	[NODE_MEMBER_CAST] = print_member_cast,
	[NODE_NEW] = print_new,
	[NODE_LITERAL] = print_literal,
	[NODE_STRING_LITERAL] = print_string_literal,
	[NODE_LAMBDA_EXPRESSION] = print_lambda_expression,
	[NODE_EXPRESSIONS] = print_expressions,
	[NODE_INITIALIZER_LIST] = print_initializer_list,
	[NODE_DEFAULT_ARG] = print_default_arg,
	[NODE_CLOSURE] = print_closure,
	[NODE_BINDINGS] = print_bindings,
	[NODE_UNNAMED] = print_unnamed,
	[NODE_CLONE] = print_clone,
	[NODE_SPECIAL] = print_special,
	[NODE_CONSTRUCTION_VTABLE] = print_construction_vtable,
	[NODE_ENABLE_IF] = print_enable_if,
	[NODE_MODULE_NAME] = print_module_name,
	[NODE_MODULE_ENTITY] = print_module_entity,
	[NODE_FRIEND] = print_friend,
	[NODE_CONSTRAINT] = print_constraint,
	[NODE_REQUIRES] = print_requires,
	[NODE_EXPRESSION_REQ] = print_expression_req,
	[NODE_TYPE_REQ] = print_type_req,
	[NODE_NESTED_REQ] = print_nested_req,
	[NODE_OBJECT_PARAM] = print_object_param,
};

bool itanium_print(struct itanium *p, struct node *n, unsigned flags,
		   struct text *out)
{
	struct printer pr = { .parser = p, .out = out, .flags = flags };

	if (p->failed)
		return false;
	print_node(&pr, n);
	return !p->failed && !out->failed;
}
