/* SPDX-License-Identifier: MIT */
/*
 * C++ types.  Each type that is not built in can be referred to later as a
 * substitution, so the order in which they are recorded is part of the
 * grammar.
 */
#include "symbol/itanium.h"

/* The types of one letter, from 'a' on. */
static const char *const letter_types[26] = {
	"signed char",
	"bool",
	"char",
	"double",
	"long double",
	"float",
	"__float128",
	"unsigned char",
	"int",
	"unsigned int",
	NULL,
	"long",
	"unsigned long",
	"__int128",
	"unsigned __int128",
	NULL,
	NULL,
	NULL,
	"short",
	"unsigned short",
	NULL,
	"void",
	"wchar_t",
	"long long",
	"unsigned long long",
	"...",
};

/* qual ::= r | V | K | Dx | Do | DO <expression> E | Dw <type>+ E */
static struct node *one_qualifier(struct itanium *p)
{
	uint32_t mark = p->pending.count;
	struct node *n;

	if (eat(p, 'r'))
		return node_text(p, NODE_QUALIFIER, NULL,
				 span_text("restrict"));
	if (eat(p, 'V'))
		return node_text(p, NODE_QUALIFIER, NULL,
				 span_text("volatile"));
	if (eat(p, 'K'))
		return node_text(p, NODE_QUALIFIER, NULL, span_text("const"));
	if (peek(p) != 'D')
		return NULL;
	switch (peek_at(p, 1)) {
	case 'x':
		advance(p, 2);
		return node_text(p, NODE_QUALIFIER, NULL,
				 span_text("transaction_safe"));
	case 'o':
		advance(p, 2);
		return node_text(p, NODE_QUALIFIER, NULL,
				 span_text("noexcept"));
	case 'O':
		advance(p, 2);
		n = node_text(p, NODE_QUALIFIER, NULL, span_text("noexcept"));
		stack_push(p, &p->pending, itanium_expression(p));
		if (n)
			n->list[0] = pending_take(p, mark);
		return expect(p, 'E') ? n : NULL;
	case 'w':
		advance(p, 2);
		n = node_text(p, NODE_QUALIFIER, NULL, span_text("throw"));
		if (n)
			n->list[0] = itanium_params(p, false);
		return expect(p, 'E') ? n : NULL;
	default:
		return NULL;
	}
}

/* The qualifiers that come next, the last first; NULL: none. */
struct node *itanium_cv_qualifiers(struct itanium *p)
{
	uint32_t mark = p->pending.count;
	struct node_list list;

	for (;;) {
		struct node *q = one_qualifier(p);

		if (p->failed)
			return NULL;
		if (!q)
			break;
		stack_push(p, &p->pending, q);
	}
	list = pending_take(p, mark);
	if (!list.count)
		return NULL;
	for (uint32_t i = 0; i < list.count / 2; i++) {
		struct node *swap = list.at[i];

		list.at[i] = list.at[list.count - 1 - i];
		list.at[list.count - 1 - i] = swap;
	}
	return node_listed(p, NODE_QUALIFIERS, NULL, list);
}

/* The number of '&' in the ref-qualifier that comes next. */
int32_t itanium_ref_qualifier(struct itanium *p)
{
	if (p->failed)
		return 0;
	return eat(p, 'R') ? 1 : eat(p, 'O') ? 2 : 0;
}

/* Whether the list of parameter types is over. */
static bool params_end(const struct itanium *p)
{
	switch (peek(p)) {
	case 'E':
	case '.':
	case 'Q':
		return true;
	case 'R':
	case 'O':
		return peek_at(p, 1) == 'E';
	default:
		return !p->rest.len;
	}
}

/* <type>+, where a lone void means that there are none. */
struct node_list itanium_params(struct itanium *p, bool explicit_object)
{
	uint32_t mark = p->pending.count;
	struct node_list list;

	while (!p->failed && !params_end(p)) {
		struct node *type = itanium_type(p, false);

		if (explicit_object && p->pending.count == mark)
			type = node_new(p, NODE_OBJECT_PARAM, type, NULL);
		stack_push(p, &p->pending, type);
	}
	list = pending_take(p, mark);
	if (!list.count)
		itanium_fail(p);
	else if (list.count == 1 && node_is(list.at[0], NODE_BUILTIN) &&
		 list.at[0]->num == 'v')
		list.count = 0;
	return list;
}

struct node *itanium_bare_function(struct itanium *p, bool has_result,
				   bool explicit_object)
{
	struct node *result = NULL;

	if (p->failed)
		return NULL;
	if (eat(p, 'J'))
		has_result = true;
	if (has_result)
		result = itanium_type(p, false);
	return node_listed(p, NODE_FUNCTION, result,
			   itanium_params(p, explicit_object));
}

/* F [Y] <bare-function-type> [<ref-qualifier>] E */
static struct node *function_type(struct itanium *p)
{
	struct node *n;
	int32_t ref;

	advance(p, 1);
	if (peek(p) == 'Y') /* extern "C", which is not shown */
		advance(p, 1);
	n = itanium_bare_function(p, true, false);
	ref = itanium_ref_qualifier(p);
	if (ref)
		n = node_num(p, NODE_QUALIFIED_METHOD, n, ref);
	return expect(p, 'E') ? n : NULL;
}

static struct span take_digits(struct itanium *p)
{
	struct span digits = { .at = p->rest.at };

	while (digits.len < p->rest.len && is_digit(p->rest.at[digits.len]))
		digits.len++;
	advance(p, digits.len);
	return digits;
}

/* A [<number> | <expression>] _ <type> */
static struct node *array_type(struct itanium *p, bool cast)
{
	struct node *dimension;
	struct node *element;

	advance(p, 1);
	if (peek(p) == '_')
		dimension = node_named(p, "");
	else if (is_digit(peek(p)))
		dimension = node_text(p, NODE_NAME, NULL, take_digits(p));
	else
		dimension = itanium_expression(p);
	if (!expect(p, '_'))
		return NULL;
	element = itanium_type(p, cast);
	if (!node_is(element, NODE_QUALIFIED_TYPE))
		return node_new(p, NODE_ARRAY, dimension, element);

	/* The qualifiers of the elements are those of the array. */
	return node_new(p, NODE_QUALIFIED_TYPE,
			node_new(p, NODE_ARRAY, dimension, element->kid[0]),
			element->kid[1]);
}

/* A number as a name, in its shortest form. */
static struct node *number_name(struct itanium *p)
{
	int32_t value = itanium_number(p);
	struct text t = { .at = scratch_alloc(p->scratch, 16), .size = 16 };

	if (p->failed || !t.at)
		return itanium_fail(p);
	if (value < 0)
		text_char(&t, '-');
	text_number(&t, (uint64_t)(value < 0 ? -value : value));
	return node_text(p, NODE_NAME, NULL, span_of(t.at, t.used));
}

/* Dv (<number> | _ <expression>) _ <type>, the Dv being eaten. */
static struct node *vector_type(struct itanium *p, bool cast)
{
	struct node *dimension;

	if (eat(p, '_'))
		dimension = itanium_expression(p);
	else
		dimension = number_name(p);
	if (!expect(p, '_'))
		return NULL;
	return node_new(p, NODE_VECTOR, dimension, itanium_type(p, cast));
}

/* DF <number> _ is a float, DF [<number>] <type> [<number>] <letter> fixed. */
static struct node *float_type(struct itanium *p, bool cast)
{
	bool accum = is_digit(peek(p));
	int32_t bits = accum ? itanium_number(p) : 0;
	struct node *n;

	if (p->failed)
		return NULL;
	if (eat(p, '_'))
		return bits ? node_num(p, NODE_FLOAT_BITS, NULL, bits)
			    : itanium_fail(p);
	n = node_new(p, NODE_FIXED_POINT, itanium_type(p, cast), NULL);
	if (!n)
		return NULL;
	n->flag = accum;
	if (is_digit(peek(p)))
		(void)itanium_number(p); /* the width is not shown */
	n->flag2 = peek(p) == 's';
	advance(p, 1);
	return n;
}

static struct node *bit_int(struct itanium *p, bool is_signed)
{
	struct node *size = is_digit(peek(p)) ? number_name(p)
					      : itanium_expression(p);
	struct node *n = node_new(p, NODE_BIT_INT, size, NULL);

	if (!expect(p, '_'))
		return NULL;
	n->flag = is_signed;
	return n;
}

/* Types of two letters that have a name and nothing else. */
static struct node *named_d_type(struct itanium *p, uint8_t code)
{
	static const char *const names[26] = {
		['d' - 'a'] = "decimal64", ['e' - 'a'] = "decimal128",
		['f' - 'a'] = "decimal32", ['h' - 'a'] = "half",
		['i' - 'a'] = "char32_t",  ['n' - 'a'] = "decltype(nullptr)",
		['s' - 'a'] = "char16_t",  ['u' - 'a'] = "char8_t",
	};
	struct node *n;

	if (code == 'a')
		return node_named(p, "auto");
	if (code == 'c')
		return node_named(p, "decltype(auto)");
	if (!is_lower(code) || !names[code - 'a'])
		return itanium_fail(p);
	n = node_text(p, NODE_BUILTIN, NULL, span_text(names[code - 'a']));
	if (n)
		n->num = BUILTIN_D | code;
	return n;
}

/* D and what follows.  *ret_record: whether it can be substituted later. */
static struct node *d_type(struct itanium *p, bool cast, bool *ret_record)
{
	uint8_t code = peek_at(p, 1);
	struct node *n;

	*ret_record = code == 'T' || code == 't' || code == 'p' || code == 'v';
	advance(p, 2);
	switch (code) {
	case 'T':
	case 't':
		n = itanium_expression(p);
		if (!expect(p, 'E'))
			return NULL;
		return node_new(p, NODE_DECLTYPE, n, NULL);
	case 'p':
		n = node_new(p, NODE_PACK_EXPANSION, itanium_type(p, cast),
			     NULL);
		if (n && !p->failed)
			n->ref = itanium_find_pack(p, n->kid[0]);
		return n;
	case 'F':
		return float_type(p, cast);
	case 'v':
		return vector_type(p, cast);
	case 'B':
	case 'U':
		return bit_int(p, code == 'B');
	case 'k':
		return node_text(p, NODE_SUFFIXED_TYPE, itanium_name(p, NULL),
				 span_text("auto"));
	case 'K':
		return node_text(p, NODE_SUFFIXED_TYPE, itanium_name(p, NULL),
				 span_text("decltype(auto)"));
	default:
		return named_d_type(p, code);
	}
}

/* u <source-name> [I <type> E] */
static struct node *vendor_type(struct itanium *p)
{
	struct node *name;
	struct node *base;

	advance(p, 1);
	name = itanium_source_name(p);
	if (p->failed || !eat(p, 'I'))
		return name;
	base = itanium_type(p, false);
	if (!expect(p, 'E'))
		return NULL;
	return node_text(p, NODE_TRANSFORMED_TYPE, base, name->text);
}

/* U: a lambda, an unnamed type, or a vendor's qualifier. */
static struct node *u_type(struct itanium *p, bool cast, bool *ret_record)
{
	struct node *name;

	*ret_record = false;
	if (peek_at(p, 1) == 'l')
		return itanium_closure(p);
	if (peek_at(p, 1) == 't')
		return itanium_unnamed(p);
	*ret_record = true;
	advance(p, 1);
	name = itanium_source_name(p);
	if (!p->failed && peek(p) == 'I')
		name = node_listed(p, NODE_TEMPLATE, name,
				   itanium_template_args(p));
	return node_new(p, NODE_VENDOR_TYPE, name, itanium_type(p, cast));
}

/*
 * In the type of a conversion operator, arguments after a template parameter
 * may be its own or the operator's.  They are its own if more arguments
 * follow; otherwise the parser goes back to before them.
 */
static struct node *cast_args(struct itanium *p, struct node *param,
			      bool record)
{
	struct itanium before = *p;
	struct node_list args = itanium_template_args(p);
	struct itanium after = *p;

	if (!p->failed && peek(p) == 'I') {
		if (record)
			stack_push(p, &p->subs, param);
		return node_listed(p, NODE_TEMPLATE, param, args);
	}
	*p = before;
	p->work = after.work;
	p->walks = after.walks;
	return param;
}

/* Ts, Tu, Te: struct, union, enum; else a template parameter. */
static struct node *t_type(struct itanium *p, bool cast)
{
	uint8_t code = peek_at(p, 1);
	struct node *param;

	if (code == 's' || code == 'u' || code == 'e') {
		advance(p, 2);
		return node_text(p, NODE_ELABORATED, itanium_name(p, NULL),
				 span_text(code == 's'	 ? "struct"
					   : code == 'u' ? "union"
							 : "enum"));
	}
	param = itanium_template_param(p);
	if (p->failed || peek(p) != 'I')
		return param;
	if (cast)
		return cast_args(p, param, true);
	stack_push(p, &p->subs, param);
	return node_listed(p, NODE_TEMPLATE, param, itanium_template_args(p));
}

/* A substitution by number, with arguments or without. */
static struct node *substituted_type(struct itanium *p, bool cast,
				     bool *ret_record)
{
	struct node *n = itanium_substitution(p, false);
	struct node *whole;
	bool ignored;

	if (node_is(n, NODE_MODULE_NAME)) {
		n = itanium_unqualified_name(p, n, &ignored);
		stack_push(p, &p->subs, n);
	}
	*ret_record = !p->failed && peek(p) == 'I';
	if (!*ret_record)
		return n;
	if (!cast || n->kind != NODE_TEMPLATE_PARAM)
		return node_listed(p, NODE_TEMPLATE, n,
				   itanium_template_args(p));
	whole = cast_args(p, n, false);
	*ret_record = whole != n;
	return whole;
}

static struct node *s_type(struct itanium *p, bool cast, bool *ret_record)
{
	uint8_t code = peek_at(p, 1);
	struct node *n;

	if (is_digit(code) || is_upper(code) || code == '_')
		return substituted_type(p, cast, ret_record);
	n = itanium_name(p, NULL);
	/* An abbreviation has no need of another one. */
	*ret_record = n && !n->flag2;
	return n;
}

/* A type that is made from the one that follows. */
static struct node *compound_type(struct itanium *p, bool cast)
{
	uint8_t code = peek(p);
	enum node_kind kind = code == 'P'   ? NODE_POINTER
			      : code == 'R' ? NODE_REFERENCE
			      : code == 'O' ? NODE_RVALUE
			      : code == 'C' ? NODE_COMPLEX
					    : NODE_IMAGINARY;

	advance(p, 1);
	return node_new(p, kind, itanium_type(p, cast), NULL);
}

static struct node *member_pointer(struct itanium *p, bool cast)
{
	struct node *class;

	advance(p, 1);
	class = itanium_type(p, false);
	return node_new(p, NODE_MEMBER_POINTER, class, itanium_type(p, cast));
}

/* A type that is neither qualified nor of one letter. */
static struct node *unqualified_type(struct itanium *p, bool cast,
				     bool *ret_record)
{
	*ret_record = true;
	switch (peek(p)) {
	case 'u':
		return vendor_type(p);
	case 'F':
		return function_type(p);
	case 'A':
		return array_type(p, cast);
	case 'M':
		return member_pointer(p, cast);
	case 'T':
		return t_type(p, cast);
	case 'S':
		return s_type(p, cast, ret_record);
	case 'O':
	case 'P':
	case 'R':
	case 'C':
	case 'G':
		return compound_type(p, cast);
	case 'U':
		return u_type(p, cast, ret_record);
	case 'D':
		return d_type(p, cast, ret_record);
	case 'N':
	case 'W':
	case 'Z':
		return itanium_name(p, NULL);
	default:
		if (is_digit(peek(p)))
			return itanium_name(p, NULL);
		return itanium_fail(p);
	}
}

static struct node *qualify(struct itanium *p, struct node *n, struct node *q)
{
	switch (n->kind) {
	case NODE_FUNCTION:
		return node_new(p, NODE_QUALIFIED_METHOD, n, q);
	case NODE_QUALIFIED_METHOD:
		n->kid[1] = itanium_merge_qualifiers(p, q, n->kid[1]);
		return n;
	case NODE_QUALIFIED_TYPE:
		q = itanium_merge_qualifiers(p, q, n->kid[1]);
		return node_new(p, NODE_QUALIFIED_TYPE, n->kid[0], q);
	default:
		return node_new(p, NODE_QUALIFIED_TYPE, n, q);
	}
}

static struct node *letter_type(struct itanium *p)
{
	uint8_t code = peek(p);
	const char *name = letter_types[code - 'a'];
	struct node *n = node_text(p, NODE_BUILTIN, NULL, span_text(name));

	advance(p, 1);
	if (n)
		n->num = code;
	return n;
}

/* Parses a type; cast: that of a conversion operator. */
static struct node *type(struct itanium *p, bool cast)
{
	struct node *qualifiers = itanium_cv_qualifiers(p);
	struct node *n;
	bool record;
	bool builtin = is_lower(peek(p)) && letter_types[peek(p) - 'a'];
	/* Qualifiers before a function are those of its "this". */
	bool method = qualifiers && peek(p) == 'F';

	if (p->failed)
		return NULL;
	if (builtin) {
		n = letter_type(p);
	} else {
		n = unqualified_type(p, cast, &record);
		if (p->failed)
			return NULL;
		if (record && !method)
			stack_push(p, &p->subs, n);
	}
	if (!qualifiers || p->failed)
		return n;
	n = qualify(p, n, qualifiers);
	stack_push(p, &p->subs, n);
	return n;
}

struct node *itanium_type(struct itanium *p, bool cast)
{
	struct node *n;

	if (!itanium_enter(p))
		return NULL;
	n = type(p, cast);
	p->depth--;
	return p->failed ? NULL : n;
}
