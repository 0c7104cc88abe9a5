/* SPDX-License-Identifier: MIT */
/*
 * What is not a plain entity: vtables, thunks, guard variables and the like;
 * and the numbers that all parts of a name use.
 */
#include "symbol/itanium.h"

#include "base/check.h"

int32_t itanium_number(struct itanium *p)
{
	bool negative = !p->failed && eat(p, 'n');
	int32_t value = 0;

	if (!is_digit(peek(p)))
		itanium_fail(p);
	while (!p->failed && is_digit(peek(p))) {
		if (value >= INT32_MAX / 10 - 10) {
			itanium_fail(p);
			return 0;
		}
		value = value * 10 + (peek(p) - '0');
		advance(p, 1);
	}
	return negative ? -value : value;
}

int32_t itanium_compact_number(struct itanium *p)
{
	int32_t value;

	if (p->failed || eat(p, '_'))
		return 0;
	if (peek(p) == 'n')
		itanium_fail(p);
	value = itanium_number(p);
	return expect(p, '_') ? value + 1 : 0;
}

/* <seq-id>: base 36 in digits and capitals, and "_" (or the name's end). */
int32_t itanium_sequence_id(struct itanium *p, bool may_end)
{
	int32_t id = 0;

	if (p->failed || eat(p, '_'))
		return 0;
	for (;;) {
		uint8_t c = peek(p);

		if (!p->rest.len && may_end)
			return id + 1;
		if (id >= INT32_MAX / 36 - 36)
			break;
		if (eat(p, '_'))
			return id + 1;
		if (is_digit(c))
			id = id * 36 + c - '0';
		else if (is_upper(c))
			id = id * 36 + c - 'A' + 10;
		else
			break;
		advance(p, 1);
	}
	itanium_fail(p);
	return 0;
}

/* What follows a special code and is shown. */
enum operand {
	OPERAND_TYPE,
	OPERAND_ARG,
	OPERAND_NAME,
	OPERAND_ENCODING,
};

struct special {
	char code;
	uint8_t operand;
	const char *prefix;
};

static const struct special specials_t[] = {
	{ 'A', OPERAND_ARG, "template parameter object for " },
	{ 'F', OPERAND_TYPE, "typeinfo fn for " },
	{ 'H', OPERAND_NAME, "TLS init function for " },
	{ 'I', OPERAND_TYPE, "typeinfo for " },
	{ 'J', OPERAND_TYPE, "java Class for " },
	{ 'S', OPERAND_TYPE, "typeinfo name for " },
	{ 'T', OPERAND_TYPE, "VTT for " },
	{ 'V', OPERAND_TYPE, "vtable for " },
	{ 'W', OPERAND_NAME, "TLS wrapper function for " },
	{ 'c', OPERAND_ENCODING, "covariant return thunk to " },
	{ 'h', OPERAND_ENCODING, "non-virtual thunk to " },
	{ 'v', OPERAND_ENCODING, "virtual thunk to " },
};

static const struct special specials_g[] = {
	{ 'A', OPERAND_ENCODING, "hidden alias for " },
	{ 'R', OPERAND_NAME, "reference temporary for " },
	{ 'V', OPERAND_NAME, "guard variable for " },
};

static struct node *special_operand(struct itanium *p, uint8_t operand)
{
	switch (operand) {
	case OPERAND_TYPE:
		return itanium_type(p, false);
	case OPERAND_ARG:
		return itanium_template_arg(p, NULL);
	case OPERAND_NAME:
		return itanium_name(p, NULL);
	default:
		return itanium_encoding(p, true, false);
	}
}

static struct node *special(struct itanium *p, const struct special *table,
			    size_t count, uint8_t code)
{
	for (size_t i = 0; i < count; i++) {
		struct node *n;

		if (table[i].code != code)
			continue;
		n = special_operand(p, table[i].operand);
		return node_text(p, NODE_SPECIAL, n,
				 span_text(table[i].prefix));
	}
	return itanium_fail(p);
}

/* <call-offset> ::= h <number> _ | v <number> _ <number> _; not shown. */
static void call_offset(struct itanium *p, uint8_t code)
{
	if (!code) {
		code = peek(p);
		advance(p, 1);
	}
	if (code != 'h' && code != 'v')
		itanium_fail(p);
	(void)itanium_number(p);
	if (code == 'v' && expect(p, '_'))
		(void)itanium_number(p);
	expect(p, '_');
}

/* TC <derived type> <offset> _ <base type> */
static struct node *construction_vtable(struct itanium *p)
{
	struct node *derived = itanium_type(p, false);

	if (!p->failed && itanium_number(p) < 0)
		itanium_fail(p);
	if (!expect(p, '_'))
		return NULL;
	return node_new(p, NODE_CONSTRUCTION_VTABLE, itanium_type(p, false),
			derived);
}

static struct node *special_t(struct itanium *p)
{
	uint8_t code = peek(p);

	advance(p, 1);
	switch (code) {
	case 'C':
		return construction_vtable(p);
	case 'c':
		call_offset(p, 0);
		call_offset(p, 0);
		break;
	case 'h':
	case 'v':
		call_offset(p, code);
		break;
	default:
		break;
	}
	return special(p, specials_t, ARRAY_SIZE(specials_t), code);
}

/* Gr <length> _ <text>, where $S, $_ and $$ stand for '/', '.' and '$'. */
static struct node *java_resource(struct itanium *p)
{
	int32_t len = itanium_number(p);
	struct text t = { 0 };

	if (p->failed || len <= 1 || !expect(p, '_'))
		return itanium_fail(p);
	len--;
	if ((uint32_t)len > p->rest.len)
		return itanium_fail(p);
	t.size = 2 * (size_t)len;
	t.at = scratch_alloc(p->scratch, t.size);
	if (!t.at)
		return itanium_fail(p);
	for (int32_t i = 0; i < len; i++) {
		uint8_t c = p->rest.at[i];

		if (c != '$') {
			text_rune(&t, c);
			continue;
		}
		c = ++i < len ? p->rest.at[i] : 0;
		if (c != 'S' && c != '_' && c != '$')
			return itanium_fail(p);
		text_char(&t, c == 'S' ? '/' : c == '_' ? '.' : '$');
	}
	advance(p, (size_t)len);
	return node_text(p, NODE_SPECIAL,
			 node_text(p, NODE_NAME, NULL, span_of(t.at, t.used)),
			 span_text("java resource "));
}

static struct node *special_g(struct itanium *p)
{
	uint8_t code = peek(p);
	struct node *n;
	bool without;

	advance(p, 1);
	switch (code) {
	case 'I':
		n = itanium_module_name(p, NULL);
		if (!n)
			return itanium_fail(p);
		return node_text(p, NODE_SPECIAL, n,
				 span_text("initializer for module "));
	case 'T':
		without = eat(p, 'n');
		if (!without && !p->rest.len)
			return itanium_fail(p);
		if (!without)
			advance(p, 1);
		n = itanium_encoding(p, true, false);
		return node_text(
			p, NODE_SPECIAL, n,
			span_text(without ? "non-transaction clone for "
					  : "transaction clone for "));
	case 'r':
		return java_resource(p);
	case 'R':
		n = special(p, specials_g, ARRAY_SIZE(specials_g), code);
		(void)itanium_sequence_id(p, true); /* it is not shown */
		return n;
	default:
		return special(p, specials_g, ARRAY_SIZE(specials_g), code);
	}
}

struct node *itanium_special_name(struct itanium *p)
{
	bool t = peek(p) == 'T';

	advance(p, 1);
	if (!p->rest.len)
		return itanium_fail(p);
	return t ? special_t(p) : special_g(p);
}
