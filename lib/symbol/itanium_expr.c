/* SPDX-License-Identifier: MIT */
/* Expressions: they stand in template arguments, decltype and constraints. */
#include "symbol/itanium.h"

/* <expression>* up to and with stop. */
static struct node *expressions(struct itanium *p, uint8_t stop)
{
	uint32_t mark = p->pending.count;

	while (!p->failed && !eat(p, stop))
		stack_push(p, &p->pending, itanium_expression(p));
	return node_listed(p, NODE_EXPRESSIONS, NULL, pending_take(p, mark));
}

/* <template-arg>* E */
static struct node_list args_to_end(struct itanium *p)
{
	uint32_t mark = p->pending.count;

	while (!p->failed && !eat(p, 'E'))
		stack_push(p, &p->pending, itanium_template_arg(p, NULL));
	return pending_take(p, mark);
}

static struct node *with_args(struct itanium *p, struct node *n)
{
	if (p->failed || peek(p) != 'I')
		return n;
	return node_listed(p, NODE_TEMPLATE, n, itanium_template_args(p));
}

/* <simple-id> | on <operator-name> | dn <type>, with arguments or without. */
static struct node *base_unresolved_name(struct itanium *p)
{
	struct node *n;
	int args;

	if (looking_at(p, "dn")) {
		advance(p, 2);
		n = is_digit(peek(p)) ? itanium_source_name(p)
				      : itanium_type(p, false);
		n = node_new(p, NODE_DESTRUCTOR, n, NULL);
	} else if (is_digit(peek(p))) {
		n = itanium_source_name(p);
	} else {
		/* GCC may leave out the on. */
		if (looking_at(p, "on"))
			advance(p, 2);
		n = itanium_operator_name(p, true, &args);
	}
	return with_args(p, n);
}

/* sr <type> <name> */
static struct node *in_type(struct itanium *p)
{
	struct node *scope = itanium_type(p, false);
	struct node *name = base_unresolved_name(p);
	struct node *n = node_new(p, NODE_QUALIFIED, scope, name);

	if (p->failed || peek(p) != 'I')
		return n;
	n = with_args(p, n);
	stack_push(p, &p->subs, n);
	return n;
}

/*
 * GCC may end the qualifiers without an E: then the type read was the whole
 * name.  What its scope added to the substitutions is added here.
 */
static struct node *whole_type(struct itanium *p, struct node *n)
{
	struct node *scope = n->kid[0];

	if (scope->kind == NODE_TEMPLATE)
		stack_push(p, &p->subs, scope->kid[0]);
	stack_push(p, &p->subs, scope);
	return n;
}

/* sr [N <type>] <qualifier>* E <name>, the sr being eaten. */
static struct node *in_qualifiers(struct itanium *p)
{
	struct node *scope = NULL;
	struct node *n;

	if (eat(p, 'N'))
		scope = itanium_type(p, false);
	while (!p->failed && peek(p) != 'E') {
		if (node_is(scope, NODE_QUALIFIED) && p->rest.len &&
		    !is_digit(peek(p)))
			return whole_type(p, scope);
		n = itanium_source_name(p);
		if (!p->failed && peek(p) == 'I') {
			stack_push(p, &p->subs, n);
			n = with_args(p, n);
		}
		scope = scope ? node_new(p, NODE_QUALIFIED, scope, n) : n;
	}
	if (p->failed || !scope)
		return itanium_fail(p);
	advance(p, 1);
	return node_new(p, NODE_QUALIFIED, scope, base_unresolved_name(p));
}

static struct node *unresolved_name(struct itanium *p)
{
	bool global = false;
	struct node *n;

	/* More than one :: makes no sense, but each is shown. */
	if (looking_at(p, "gs")) {
		if (!itanium_enter(p))
			return NULL;
		advance(p, 2);
		global = true;
		n = unresolved_name(p);
		p->depth--;
	} else if (!looking_at(p, "sr")) {
		n = base_unresolved_name(p);
	} else {
		advance(p, 2);
		n = peek(p) == 'T' || peek(p) == 'D' || peek(p) == 'S'
			    ? in_type(p)
			    : in_qualifiers(p);
	}
	if (!global || p->failed)
		return n;
	return node_new(p, NODE_UNARY,
			node_text(p, NODE_OPERATOR, NULL, span_text("::")), n);
}

/* fpT | fp <qualifiers> [<number>] _ | fL <number> p <qualifiers> ... */
static struct node *function_param(struct itanium *p)
{
	if (looking_at(p, "fpT")) {
		advance(p, 3);
		return node_num(p, NODE_FUNCTION_PARAM, NULL, 0);
	}
	advance(p, 1);
	if (eat(p, 'L'))
		(void)itanium_number(p); /* how far out: not shown */
	if (!expect(p, 'p'))
		return NULL;
	(void)itanium_cv_qualifiers(p); /* not shown either */
	return node_num(p, NODE_FUNCTION_PARAM, NULL,
			itanium_compact_number(p) + 1);
}

static int32_t optional_number(struct itanium *p)
{
	if (p->failed || (peek(p) != 'n' && !is_digit(peek(p))))
		return 0;
	return itanium_number(p);
}

/* mc <type> <expression> [<number>] E, the mc being eaten. */
static struct node *member_cast(struct itanium *p)
{
	struct node *type = itanium_type(p, false);
	struct node *expr = itanium_expression(p);

	(void)optional_number(p); /* the offset is not shown */
	if (!expect(p, 'E'))
		return NULL;
	return node_new(p, NODE_MEMBER_CAST, type, expr);
}

/* so <type> <expression> [<offset>] {_ [<number>]} [p] E */
static struct node *subobject(struct itanium *p)
{
	struct node *type = itanium_type(p, false);
	struct node *expr = itanium_expression(p);
	struct node *n = node_new(p, NODE_SUBOBJECT, type, expr);

	if (!n)
		return NULL;
	n->num = optional_number(p);
	while (!p->failed && eat(p, '_'))
		(void)optional_number(p); /* members of unions */
	if (!p->failed)
		(void)eat(p, 'p'); /* past the end */
	return expect(p, 'E') ? n : NULL;
}

static struct node *call(struct itanium *p, struct node *callee,
			 struct node_list args)
{
	struct node *op = node_text(p, NODE_OPERATOR, NULL, span_text("()"));
	struct node *n = node_new(p, NODE_BINARY, op, callee);

	if (n)
		n->kid[2] = node_listed(p, NODE_EXPRESSIONS, NULL, args);
	return n;
}

/* u <source-name> <template-arg>* E; __uuidof takes one operand, marked. */
static struct node *vendor_expression(struct itanium *p)
{
	uint32_t mark = p->pending.count;
	struct node *name = itanium_source_name(p);

	if (p->failed)
		return NULL;
	if (span_equal(name->text, span_text("__uuidof"))) {
		if (p->rest.len < 2)
			return itanium_fail(p);
		if (eat(p, 't'))
			stack_push(p, &p->pending, itanium_type(p, false));
		else if (eat(p, 'z'))
			stack_push(p, &p->pending, itanium_expression(p));
		if (p->pending.count > mark)
			return call(p, name, pending_take(p, mark));
	}
	return call(p, name, args_to_end(p));
}

/* il <expression>* E | tl <type> <expression>* E */
static struct node *initializer_list(struct itanium *p)
{
	bool typed = peek(p) == 't';
	struct node *type = NULL;

	advance(p, 2);
	if (typed)
		type = itanium_type(p, false);
	return node_new(p, NODE_INITIALIZER_LIST, type, expressions(p, 'E'));
}

/* <requirement> ::= X <expr> [N] [R <name>] | T <type> | Q <expression> */
static struct node *requirement(struct itanium *p)
{
	struct node *n;

	if (eat(p, 'T'))
		return node_new(p, NODE_TYPE_REQ, itanium_type(p, false), NULL);
	if (eat(p, 'Q'))
		return node_new(p, NODE_NESTED_REQ, itanium_expression(p),
				NULL);
	if (!expect(p, 'X'))
		return NULL;
	n = node_new(p, NODE_EXPRESSION_REQ, itanium_expression(p), NULL);
	if (!n)
		return NULL;
	n->flag = eat(p, 'N');
	if (eat(p, 'R'))
		n->kid[1] = itanium_name(p, NULL);
	return n;
}

/* rq <requirement>* E | rQ <type>* _ <requirement>* E */
static struct node *requires_expression(struct itanium *p)
{
	struct node *n = node_new(p, NODE_REQUIRES, NULL, NULL);
	uint32_t mark = p->pending.count;
	bool params = peek_at(p, 1) == 'Q';

	if (!n)
		return NULL;
	advance(p, 2);
	while (params && !p->failed && p->rest.len && peek(p) != '_')
		stack_push(p, &p->pending, itanium_type(p, false));
	if (params && !expect(p, '_'))
		return NULL;
	n->list[0] = pending_take(p, mark);
	while (!p->failed && p->rest.len && peek(p) != 'E')
		stack_push(p, &p->pending, requirement(p));
	n->list[1] = pending_take(p, mark);
	return expect(p, 'E') ? n : NULL;
}

static struct node *unary(struct itanium *p, struct node *op, uint8_t a,
			  uint8_t b)
{
	struct node *n = node_new(p, NODE_UNARY, op, NULL);

	if (!n)
		return NULL;
	if (a == b && (a == 'p' || a == 'm'))
		n->flag = !eat(p, '_');
	if (op->kind == NODE_CAST && eat(p, '_'))
		n->kid[1] = expressions(p, 'E');
	else
		n->kid[1] = itanium_expression(p);
	return n;
}

static struct node *fold(struct itanium *p, uint8_t b, bool binary)
{
	int args;
	struct node *op = itanium_operator_name(p, true, &args);
	struct node *first = itanium_expression(p);
	struct node *n = node_new(p, NODE_FOLD, op, first);

	if (!n)
		return NULL;
	n->flag = b == 'l' || b == 'L';
	if (binary)
		n->kid[2] = itanium_expression(p);
	return n;
}

/* The right side of . and ->. */
static struct node *member(struct itanium *p)
{
	if (p->failed)
		return NULL;
	if (peek(p) == 'L')
		return itanium_expr_primary(p);
	return with_args(p, unresolved_name(p));
}

static struct node *binary(struct itanium *p, struct node *op, uint8_t a,
			   uint8_t b)
{
	struct node *n = node_new(p, NODE_BINARY, op, NULL);
	bool ignored;

	if (!n)
		return NULL;
	if (b == 'c' && (a == 's' || a == 'd' || a == 'c' || a == 'r'))
		n->kid[1] = itanium_type(p, false);
	else if (a == 'd' && b == 'i')
		n->kid[1] = itanium_unqualified_name(p, NULL, &ignored);
	else
		n->kid[1] = itanium_expression(p);
	if (a == 'c' && (b == 'l' || b == 'p'))
		n->kid[2] = expressions(p, 'E');
	else if (b == 't' && (a == 'd' || a == 'p'))
		n->kid[2] = member(p);
	else
		n->kid[2] = itanium_expression(p);
	return n;
}

/* nw <expression>* _ <type> (E | pi <expression>* E | il ...) */
static struct node *new_expression(struct itanium *p, struct node *op)
{
	struct node *place = expressions(p, '_');
	struct node *n = node_new(p, NODE_NEW, op, NULL);

	if (p->failed)
		return NULL;
	if (place->list[0].count)
		n->kid[1] = place;
	n->kid[2] = itanium_type(p, false);
	if (p->failed || eat(p, 'E'))
		return n;
	if (looking_at(p, "pi")) {
		advance(p, 2);
		n->kid[3] = expressions(p, 'E');
		return n;
	}
	if (!looking_at(p, "il"))
		return itanium_fail(p);
	n->kid[3] = itanium_expression(p);
	return n;
}

static struct node *ternary(struct itanium *p, struct node *op)
{
	struct node *n = node_new(p, NODE_TERNARY, op, NULL);

	for (int i = 1; i <= 3 && n; i++)
		n->kid[i] = itanium_expression(p);
	return n;
}

static struct node *operation(struct itanium *p)
{
	uint8_t a = peek(p);
	uint8_t b = peek_at(p, 1);
	int args = 0;
	struct node *op = itanium_operator_name(p, true, &args);

	if (p->failed)
		return NULL;
	switch (args) {
	case 0:
		return node_new(p, NODE_NULLARY, op, NULL);
	case 1:
		return unary(p, op, a, b);
	case 2:
		if (a == 'f')
			return fold(p, b, false);
		return binary(p, op, a, b);
	case 3:
		if (a == 'n')
			return new_expression(p, op);
		if (a == 'f')
			return fold(p, b, true);
		return ternary(p, op);
	default:
		return itanium_fail(p);
	}
}

/* sp <expression> | sZ <expression>, both about a pack. */
static struct node *pack_expression(struct itanium *p, enum node_kind kind)
{
	struct node *expr;
	struct node *pack;
	struct node *n;

	advance(p, 2);
	expr = itanium_expression(p);
	pack = itanium_find_pack(p, expr);
	if (kind == NODE_SIZEOF_PACK) {
		if (!pack)
			return itanium_fail(p);
		expr = NULL;
	}
	n = node_new(p, kind, expr, NULL);
	if (n)
		n->ref = pack;
	return n;
}

/* Expressions that start with an s and are no plain operation. */
static struct node *s_expression(struct itanium *p)
{
	struct node *n;
	int args;

	switch (peek_at(p, 1)) {
	case 'o':
		advance(p, 2);
		return subobject(p);
	case 'r':
		return unresolved_name(p);
	case 'p':
		return pack_expression(p, NODE_PACK_EXPANSION);
	case 'Z':
		return pack_expression(p, NODE_SIZEOF_PACK);
	case 'P':
		advance(p, 2);
		return node_listed(p, NODE_SIZEOF_ARGS, NULL, args_to_end(p));
	case 't':
		n = itanium_operator_name(p, true, &args);
		n = node_new(p, NODE_UNARY, n, itanium_type(p, false));
		if (n)
			n->flag2 = true;
		return n;
	default:
		return operation(p);
	}
}

static struct node *expression(struct itanium *p)
{
	uint8_t b = peek_at(p, 1);
	bool ignored;

	switch (peek(p)) {
	case 'L':
		return itanium_expr_primary(p);
	case 'T':
		return itanium_template_param(p);
	case 's':
		return s_expression(p);
	case 'f':
		if (b == 'p' || (b == 'L' && is_digit(peek_at(p, 2))))
			return function_param(p);
		break;
	case 'm':
		if (b != 'c')
			break;
		advance(p, 2);
		return member_cast(p);
	case 'i':
	case 't':
		if (b == 'l')
			return initializer_list(p);
		break;
	case 'u':
		advance(p, 1);
		return vendor_expression(p);
	case 'r':
		if (b == 'q' || b == 'Q')
			return requires_expression(p);
		break;
	default:
		break;
	}
	if (looking_at(p, "on"))
		advance(p, 2);
	else if (!is_digit(peek(p)))
		return operation(p);
	return with_args(p, itanium_unqualified_name(p, NULL, &ignored));
}

struct node *itanium_expression(struct itanium *p)
{
	struct node *n;

	if (!itanium_enter(p))
		return NULL;
	n = expression(p);
	p->depth--;
	return p->failed ? NULL : n;
}

/* Q <expression>; there template parameters are called by their numbers. */
struct node *itanium_constraint(struct itanium *p)
{
	bool outer = p->in_constraint;
	struct node *n;

	advance(p, 1);
	p->in_constraint = true;
	n = itanium_expression(p);
	p->in_constraint = outer;
	return n;
}

static bool is_array(const struct node *n)
{
	if (node_is(n, NODE_QUALIFIED_TYPE))
		n = n->kid[0];
	return node_is(n, NODE_ARRAY);
}

/* What a literal without a value is; NULL if it should have one. */
static struct node *without_value(struct itanium *p, struct node *type)
{
	if (type->kind == NODE_CLOSURE)
		return node_new(p, NODE_LAMBDA_EXPRESSION, type, NULL);
	if (is_array(type))
		return node_new(p, NODE_STRING_LITERAL, type, NULL);
	if (type->kind == NODE_BUILTIN && type->num == (BUILTIN_D | 'n'))
		return node_text(p, NODE_LITERAL, type, (struct span){ 0 });
	return itanium_fail(p);
}

/* L <type> [n] <value> E | L [_] Z <encoding> E */
struct node *itanium_expr_primary(struct itanium *p)
{
	struct node *type;
	struct node *n;
	bool negative;
	size_t len = 0;

	advance(p, 1);
	if (peek(p) == '_' || peek(p) == 'Z') {
		(void)eat(p, '_'); /* old compilers leave it out */
		if (!expect(p, 'Z'))
			return NULL;
		n = itanium_encoding(p, true, false);
		return expect(p, 'E') ? n : NULL;
	}
	type = itanium_type(p, false);
	if (p->failed)
		return NULL;
	negative = eat(p, 'n');
	while (len < p->rest.len && p->rest.at[len] != 'E')
		len++;
	if (len)
		n = node_text(p, NODE_LITERAL, type, span_of(p->rest.at, len));
	else
		n = without_value(p, type);
	if (n && n->kind == NODE_LITERAL)
		n->flag = negative;
	advance(p, len);
	return expect(p, 'E') ? n : NULL;
}
