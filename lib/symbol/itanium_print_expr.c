/* SPDX-License-Identifier: MIT */
/* Writes expressions, lambdas and packs; see itanium_print.c. */
#include "symbol/itanium_print.h"

static void put(struct printer *pr, const char *s)
{
	text_put(pr->out, s);
}

static bool op_is(const struct node *op, const char *name)
{
	return op->kind == NODE_OPERATOR &&
	       span_equal(op->text, span_text(name));
}

static void parenthesize(struct printer *pr, struct node *n)
{
	bool bare = node_is(n, NODE_NAME) ||
		    node_is(n, NODE_INITIALIZER_LIST) ||
		    node_is(n, NODE_FUNCTION_PARAM) ||
		    (node_is(n, NODE_QUALIFIED) && !n->flag);

	if (!bare)
		put(pr, "(");
	print_node(pr, n);
	if (!bare)
		put(pr, ")");
}

static void in_parentheses(struct printer *pr, struct node *n)
{
	put(pr, "(");
	print_node(pr, n);
	put(pr, ")");
}

/* An operator between or before its operands: without "operator". */
static void print_op(struct printer *pr, struct node *op)
{
	if (op->kind == NODE_OPERATOR)
		text_span(pr->out, op->text);
	else
		print_node(pr, op);
}

void print_nullary(struct printer *pr, struct node *n)
{
	print_op(pr, n->kid[0]);
}

void print_unary(struct printer *pr, struct node *n)
{
	struct node *op = n->kid[0];
	struct node *expr = n->kid[1];

	/* The address of a function is written without its parameters. */
	if (op_is(op, "&") && expr->kind == NODE_TYPED &&
	    expr->kid[1]->kind == NODE_FUNCTION)
		expr = expr->kid[0];
	if (n->flag)
		parenthesize(pr, expr);
	if (op->kind == NODE_CAST)
		in_parentheses(pr, op->kid[0]);
	else
		print_op(pr, op);
	if (n->flag)
		return;
	if (op_is(op, "::"))
		print_node(pr, expr);
	else if (n->flag2 || op_is(op, "__alignof__"))
		in_parentheses(pr, expr);
	else
		parenthesize(pr, expr);
}

/* .name=value, [index]=value, [from ... to]=value */
static bool is_designated(const struct node *n)
{
	if (n->kind == NODE_TERNARY)
		return op_is(n->kid[0], "[...]=");
	if (n->kind != NODE_BINARY)
		return false;
	return op_is(n->kid[0], "]=") ||
	       (op_is(n->kid[0], "=") && n->kid[1]->kind != NODE_LITERAL);
}

static void print_designated_value(struct printer *pr, struct node *value)
{
	if (is_designated(value)) {
		print_node(pr, value);
		return;
	}
	put(pr, "=");
	parenthesize(pr, value);
}

static void print_designated(struct printer *pr, struct node *n)
{
	bool member = op_is(n->kid[0], "=");

	put(pr, member ? "." : "[");
	print_node(pr, n->kid[1]);
	if (!member)
		put(pr, "]");
	print_designated_value(pr, n->kid[2]);
}

static bool is_cast(const struct node *op)
{
	static const char cast[] = "cast";

	return op->kind == NODE_OPERATOR &&
	       memmem(op->text.at, op->text.len, cast, sizeof(cast) - 1);
}

/* What is called: a function's name, with its type only if it has a result. */
static void print_callee(struct printer *pr, struct node *n)
{
	struct node *type;

	if (n->kind != NODE_TYPED) {
		parenthesize(pr, n);
		return;
	}
	type = n->kid[1];
	if (type->kind == NODE_FUNCTION && type->kid[0])
		print_node(pr, n);
	else
		parenthesize(pr, n->kid[0]);
}

static void print_infix(struct printer *pr, struct node *n)
{
	struct node *op = n->kid[0];
	bool call = op_is(op, "()");
	/* Lest it be taken for the end of template arguments. */
	bool outer = op_is(op, ">") || op_is(op, ">>");

	if (outer)
		put(pr, "(");
	if (call)
		print_callee(pr, n->kid[1]);
	else
		parenthesize(pr, n->kid[1]);
	if (op_is(op, "[]")) {
		put(pr, "[");
		print_node(pr, n->kid[2]);
		put(pr, "]");
		return;
	}
	if (!call)
		print_op(pr, op);
	parenthesize(pr, n->kid[2]);
	if (outer)
		put(pr, ")");
}

void print_binary(struct printer *pr, struct node *n)
{
	if (is_cast(n->kid[0])) {
		print_op(pr, n->kid[0]);
		put(pr, "<");
		print_node(pr, n->kid[1]);
		put(pr, ">");
		in_parentheses(pr, n->kid[2]);
	} else if (is_designated(n)) {
		print_designated(pr, n);
	} else {
		print_infix(pr, n);
	}
}

void print_ternary(struct printer *pr, struct node *n)
{
	if (is_designated(n)) {
		put(pr, "[");
		print_node(pr, n->kid[1]);
		put(pr, " ... ");
		print_node(pr, n->kid[2]);
		put(pr, "]");
		print_designated_value(pr, n->kid[3]);
		return;
	}
	parenthesize(pr, n->kid[1]);
	put(pr, "?");
	parenthesize(pr, n->kid[2]);
	put(pr, " : ");
	parenthesize(pr, n->kid[3]);
}

void print_fold(struct printer *pr, struct node *n)
{
	put(pr, "(");
	if (n->kid[2] || !n->flag) {
		parenthesize(pr, n->kid[1]);
		print_op(pr, n->kid[0]);
	}
	put(pr, "...");
	if (n->kid[2] || n->flag) {
		print_op(pr, n->kid[0]);
		parenthesize(pr, n->kid[n->kid[2] ? 2 : 1]);
	}
	put(pr, ")");
}

void print_subobject(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[1]);
	put(pr, ".<");
	print_node(pr, n->kid[0]);
	put(pr, " at offset ");
	if (n->num < 0)
		put(pr, "-");
	text_number(pr->out, (uint64_t)(n->num < 0 ? -n->num : n->num));
	put(pr, ">");
}

void print_member_cast(struct printer *pr, struct node *n)
{
	in_parentheses(pr, n->kid[0]);
	in_parentheses(pr, n->kid[1]);
}

void print_new(struct printer *pr, struct node *n)
{
	put(pr, "new ");
	if (n->kid[1]) {
		parenthesize(pr, n->kid[1]);
		put(pr, " ");
	}
	print_node(pr, n->kid[2]);
	if (n->kid[3])
		parenthesize(pr, n->kid[3]);
}

/* The suffix of a literal of this type; NULL: it is written as a cast. */
static const char *literal_suffix(const struct node *type)
{
	if (type->kind != NODE_BUILTIN)
		return NULL;
	switch (type->num) {
	case 'i':
		return "";
	case 'j':
		return "u";
	case 'l':
		return "l";
	case 'm':
		return "ul";
	case 'x':
		return "ll";
	case 'y':
		return "ull";
	default:
		return NULL;
	}
}

static bool is_float(const struct node *type)
{
	if (type->kind != NODE_BUILTIN)
		return false;
	return (type->num >= 'd' && type->num <= 'g') ||
	       type->num == (BUILTIN_D | 'h');
}

/* Writes true, false and nullptr; false: it is none of them. */
static bool print_keyword(struct printer *pr, struct node *n)
{
	struct node *type = n->kid[0];

	if (type->kind != NODE_BUILTIN)
		return false;
	if (type->num == 'b' && !n->flag && n->text.len == 1 &&
	    (n->text.at[0] == '0' || n->text.at[0] == '1')) {
		put(pr, n->text.at[0] == '1' ? "true" : "false");
		return true;
	}
	if (type->num == (BUILTIN_D | 'n') &&
	    (!n->text.len || span_equal(n->text, span_text("0")))) {
		print_node(pr, type);
		return true;
	}
	return false;
}

void print_literal(struct printer *pr, struct node *n)
{
	const char *suffix = literal_suffix(n->kid[0]);
	bool is_cast = !suffix;
	bool brackets = is_float(n->kid[0]);

	if (print_keyword(pr, n))
		return;
	if (is_cast)
		in_parentheses(pr, n->kid[0]);
	if (brackets)
		put(pr, "[");
	if (n->flag)
		put(pr, "-");
	text_span(pr->out, n->text);
	if (brackets)
		put(pr, "]");
	if (suffix)
		put(pr, suffix);
}

void print_string_literal(struct printer *pr, struct node *n)
{
	put(pr, "\"<");
	print_direct(pr, n->kid[0]);
	put(pr, ">\"");
}

static void print_lambda_types(struct printer *pr, struct node *n)
{
	if (n->list[0].count) {
		put(pr, "<");
		print_list(pr, n->list[0], false);
		put(pr, ">");
	}
	if (n->kid[0]) {
		put(pr, " requires ");
		print_node(pr, n->kid[0]);
		put(pr, " ");
	}
	put(pr, "(");
	print_list(pr, n->list[1], false);
	put(pr, ")");
	if (n->kid[1]) {
		put(pr, " requires ");
		print_node(pr, n->kid[1]);
	}
}

void print_lambda_expression(struct printer *pr, struct node *n)
{
	put(pr, "[]");
	if (node_is(n->kid[0], NODE_CLOSURE))
		print_lambda_types(pr, n->kid[0]);
	put(pr, "{...}");
}

void print_closure(struct printer *pr, struct node *n)
{
	put(pr, "{lambda");
	print_lambda_types(pr, n);
	put(pr, "#");
	text_number(pr->out, (uint64_t)n->num + 1);
	put(pr, "}");
}

void print_expressions(struct printer *pr, struct node *n)
{
	print_list(pr, n->list[0], false);
}

void print_initializer_list(struct printer *pr, struct node *n)
{
	print_node(pr, n->kid[0]);
	put(pr, "{");
	print_node(pr, n->kid[1]);
	put(pr, "}");
}

void print_requires(struct printer *pr, struct node *n)
{
	put(pr, "requires ");
	if (n->list[0].count) {
		put(pr, "(");
		print_list(pr, n->list[0], false);
		put(pr, ") ");
	}
	put(pr, "{");
	for (uint32_t i = 0; i < n->list[1].count; i++)
		print_node(pr, n->list[1].at[i]);
	put(pr, " }");
}

void print_expression_req(struct printer *pr, struct node *n)
{
	bool braces = n->flag || n->kid[1];

	put(pr, braces ? " {" : " ");
	print_node(pr, n->kid[0]);
	if (braces)
		put(pr, "}");
	if (n->flag)
		put(pr, " noexcept");
	if (n->kid[1]) {
		put(pr, " -> ");
		print_node(pr, n->kid[1]);
	}
	put(pr, ";");
}

void print_type_req(struct printer *pr, struct node *n)
{
	put(pr, " typename ");
	print_node(pr, n->kid[0]);
	put(pr, ";");
}

void print_nested_req(struct printer *pr, struct node *n)
{
	put(pr, " requires ");
	print_node(pr, n->kid[0]);
	put(pr, ";");
}

/* A pack expansion that simplifying could not expand. */
void print_pack_expansion(struct printer *pr, struct node *n)
{
	if (n->ref) {
		print_node(pr, n->kid[0]);
		return;
	}
	parenthesize(pr, n->kid[0]);
	put(pr, "...");
}

void print_pack(struct printer *pr, struct node *n)
{
	print_list(pr, n->list[0], false);
}

void print_sizeof_pack(struct printer *pr, struct node *n)
{
	text_number(pr->out, n->ref->list[0].count);
}

void print_sizeof_args(struct printer *pr, struct node *n)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < n->list[0].count; i++) {
		const struct node *arg = n->list[0].at[i];

		if (arg->kind == NODE_PACK || arg->kind == NODE_EXPRESSIONS)
			count += arg->list[0].count;
		else
			count++;
	}
	text_number(pr->out, count);
}
