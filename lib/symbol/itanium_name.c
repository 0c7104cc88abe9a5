/* SPDX-License-Identifier: MIT */
/*
 * C++ names: encodings, nested and local names, operators, substitutions.  The
 * grammar is that of the Itanium C++ ABI, with the liberties that compilers
 * take; which of those are accepted follows pprof's demangler, since the same
 * name must read the same in both.
 */
#include "symbol/itanium.h"

#include "base/check.h"

struct node *itanium_source_name(struct itanium *p)
{
	int32_t len = itanium_number(p);
	struct span id;

	if (p->failed || len <= 0 || (uint32_t)len > p->rest.len)
		return itanium_fail(p);
	id = span_of(p->rest.at, (size_t)len);
	advance(p, id.len);
	/* GCC's way to say that a namespace has no name. */
	if (span_starts(id, "_GLOBAL_") && id.len > 10 && id.at[9] == 'N' &&
	    (id.at[8] == '.' || id.at[8] == '_' || id.at[8] == '$'))
		id = span_text("(anonymous namespace)");
	return node_text(p, NODE_NAME, NULL, id);
}

/* <module-name> ::= { W [P] <source-name> }; parent if there is none. */
struct node *itanium_module_name(struct itanium *p, struct node *parent)
{
	while (!p->failed && eat(p, 'W')) {
		bool partition = eat(p, 'P');
		struct node *name = itanium_source_name(p);

		parent = node_new(p, NODE_MODULE_NAME, parent, name);
		if (!parent)
			return NULL;
		parent->flag = partition;
		stack_push(p, &p->subs, parent);
	}
	return p->failed ? NULL : parent;
}

static struct node *tagged_name(struct itanium *p, struct node *n)
{
	while (!p->failed && eat(p, 'B'))
		n = node_new(p, NODE_TAGGED, n, itanium_source_name(p));
	return p->failed ? NULL : n;
}

struct operator_name {
	char code[3];
	uint8_t args; /* that it takes in an expression */
	const char *name;
};

/* A name that ends in a space is written before its operand with the space. */
static const struct operator_name operators[] = {
	{ "aN", 2, "&=" },
	{ "aS", 2, "=" },
	{ "aa", 2, "&&" },
	{ "ad", 1, "&" },
	{ "an", 2, "&" },
	{ "at", 1, "alignof " },
	{ "aw", 1, "co_await " },
	{ "az", 1, "alignof " },
	{ "cc", 2, "const_cast" },
	{ "cl", 2, "()" },
	{ "cm", 2, "," },
	{ "co", 1, "~" },
	{ "cp", 2, "()" },
	{ "dV", 2, "/=" },
	{ "dX", 3, "[...]=" },
	{ "da", 1, "delete[] " },
	{ "dc", 2, "dynamic_cast" },
	{ "de", 1, "*" },
	{ "di", 2, "=" },
	{ "dl", 1, "delete " },
	{ "ds", 2, ".*" },
	{ "dt", 2, "." },
	{ "dv", 2, "/" },
	{ "dx", 2, "]=" },
	{ "eO", 2, "^=" },
	{ "eo", 2, "^" },
	{ "eq", 2, "==" },
	{ "fL", 3, "..." },
	{ "fR", 3, "..." },
	{ "fl", 2, "..." },
	{ "fr", 2, "..." },
	{ "ge", 2, ">=" },
	{ "gs", 1, "::" },
	{ "gt", 2, ">" },
	{ "ix", 2, "[]" },
	{ "lS", 2, "<<=" },
	{ "le", 2, "<=" },
	{ "li", 1, "operator\"\" " },
	{ "ls", 2, "<<" },
	{ "lt", 2, "<" },
	{ "mI", 2, "-=" },
	{ "mL", 2, "*=" },
	{ "mi", 2, "-" },
	{ "ml", 2, "*" },
	{ "mm", 1, "--" },
	{ "na", 3, "new[]" },
	{ "ne", 2, "!=" },
	{ "ng", 1, "-" },
	{ "nt", 1, "!" },
	{ "nw", 3, "new" },
	{ "nx", 1, "noexcept" },
	{ "oR", 2, "|=" },
	{ "oo", 2, "||" },
	{ "or", 2, "|" },
	{ "pL", 2, "+=" },
	{ "pl", 2, "+" },
	{ "pm", 2, "->*" },
	{ "pp", 1, "++" },
	{ "ps", 1, "+" },
	{ "pt", 2, "->" },
	{ "qu", 3, "?" },
	{ "rM", 2, "%=" },
	{ "rS", 2, ">>=" },
	{ "rc", 2, "reinterpret_cast" },
	{ "rm", 2, "%" },
	{ "rs", 2, ">>" },
	{ "sP", 1, "sizeof..." },
	{ "sZ", 1, "sizeof..." },
	{ "sc", 2, "static_cast" },
	{ "ss", 2, "<=>" },
	{ "st", 1, "sizeof " },
	{ "sz", 1, "sizeof " },
	{ "te", 1, "typeid " },
	{ "ti", 1, "typeid " },
	{ "tr", 0, "throw" },
	{ "tw", 1, "throw " },
};

static const struct operator_name *find_operator(uint8_t a, uint8_t b)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (operators[i].code[0] == a && operators[i].code[1] == b)
			return &operators[i];
	return NULL;
}

/* A conversion operator: cv <type>, the cv being eaten. */
static struct node *conversion(struct itanium *p, bool in_expression)
{
	struct node *type;

	if (in_expression)
		return node_new(p, NODE_CAST, itanium_type(p, false), NULL);

	/* The template whose parameters the type may use comes later. */
	stack_push(p, &p->templates, NULL);
	type = itanium_type(p, true);
	if (p->failed)
		return NULL;
	p->templates.count--;
	return node_new(p, NODE_CAST, type, NULL);
}

struct node *itanium_operator_name(struct itanium *p, bool in_expression,
				   int *ret_args)
{
	uint8_t a = peek(p);
	uint8_t b = peek_at(p, 1);
	const struct operator_name *found;
	struct node *name;

	if (p->rest.len < 2)
		return itanium_fail(p);
	advance(p, 2);
	if (a == 'v' && is_digit(b)) {
		*ret_args = b - '0';
		name = itanium_source_name(p);
		if (p->failed)
			return NULL;
		return node_text(p, NODE_OPERATOR, NULL, name->text);
	}
	if (a == 'c' && b == 'v') {
		*ret_args = 1;
		return conversion(p, in_expression);
	}
	found = find_operator(a, b);
	if (!found)
		return itanium_fail(p);
	*ret_args = found->args;
	return node_text(p, NODE_OPERATOR, NULL, span_text(found->name));
}

/*
 * <discriminator> ::= _ <digit>, or __ <number> _.  It is not shown.  clang
 * may leave bare digits at the end of the name.
 */
static void discriminator(struct itanium *p)
{
	bool long_form;
	size_t i = 0;

	if (p->failed)
		return;
	if (!eat(p, '_')) {
		while (i < p->rest.len && is_digit(p->rest.at[i]))
			i++;
		if (i == p->rest.len)
			advance(p, i);
		return;
	}
	long_form = eat(p, '_');

	int32_t number = itanium_number(p);

	if (number < 0)
		itanium_fail(p);
	if (long_form && number >= 10)
		expect(p, '_');
}

static struct node *structured_bindings(struct itanium *p)
{
	uint32_t mark = p->pending.count;

	advance(p, 2);
	do
		stack_push(p, &p->pending, itanium_source_name(p));
	while (!p->failed && !eat(p, 'E'));
	return node_listed(p, NODE_BINDINGS, NULL, pending_take(p, mark));
}

static struct node *operator_or_literal(struct itanium *p, bool *ret_cast)
{
	int args;
	struct node *op = itanium_operator_name(p, false, &args);

	*ret_cast = node_is(op, NODE_CAST);
	if (!node_is(op, NODE_OPERATOR) ||
	    !span_equal(op->text, span_text("operator\"\" ")))
		return op;
	return node_new(p, NODE_UNARY, op, itanium_source_name(p));
}

/* U, and what follows it in a name. */
static struct node *nameless(struct itanium *p)
{
	switch (peek_at(p, 1)) {
	case 'b':
		advance(p, 2);
		(void)itanium_compact_number(p); /* it is not shown */
		return node_named(p, "'block-literal'");
	case 'l':
		return itanium_closure(p);
	case 't':
		return itanium_unnamed(p);
	default:
		return itanium_fail(p);
	}
}

struct node *itanium_unqualified_name(struct itanium *p, struct node *module,
				      bool *ret_cast)
{
	struct node *n;
	bool friend;

	*ret_cast = false;
	if (p->failed || !p->rest.len)
		return itanium_fail(p);
	module = itanium_module_name(p, module);
	friend = !p->failed && eat(p, 'F');
	if (p->failed)
		return NULL;
	if (is_digit(peek(p))) {
		n = itanium_source_name(p);
	} else if (is_lower(peek(p))) {
		n = operator_or_literal(p, ret_cast);
	} else if (looking_at(p, "DC")) {
		n = structured_bindings(p);
	} else if (peek(p) == 'U') {
		n = nameless(p);
	} else if (eat(p, 'L')) {
		n = itanium_source_name(p);
		discriminator(p);
	} else {
		return itanium_fail(p);
	}
	if (module)
		n = node_new(p, NODE_MODULE_ENTITY, module, n);
	n = tagged_name(p, n);
	return friend ? node_new(p, NODE_FRIEND, n, NULL) : n;
}

/* Fails if a conversion operator in the arguments waits for a template. */
static void args_complete(struct itanium *p, struct node_list args)
{
	for (uint32_t i = 0; i < args.count && !p->failed; i++)
		itanium_set_template(p, args.at[i], NULL);
}

/*
 * n with the template arguments that follow.  cast is the conversion operator
 * in n that waits for them, or NULL.
 */
static struct node *with_args(struct itanium *p, struct node *n,
			      struct node *cast)
{
	struct node_list args = itanium_template_args(p);
	struct node *template = node_listed(p, NODE_TEMPLATE, n, args);

	if (p->failed || !cast)
		return template;
	itanium_set_template(p, cast, template);
	args_complete(p, args);
	return template;
}

/* <nested-name> ::= N [<qualifiers>] <prefix> E is read as a loop. */
struct prefix {
	struct node *whole;  /* what has been read */
	struct node *last;   /* its last component */
	struct node *module; /* of the next component */
	struct node *cast;   /* a conversion operator without its template */
};

/* The class's own name, as its constructors and destructors have it. */
static struct node *last_name(struct node *n)
{
	for (;;) {
		if (n->kind == NODE_TEMPLATE || n->kind == NODE_TAGGED)
			n = n->kid[0];
		else if (n->kind == NODE_QUALIFIED)
			n = n->kid[1];
		else
			return n;
	}
}

static struct node *constructor(struct itanium *p, const struct prefix *x)
{
	bool inheriting;
	struct node *base = NULL;

	advance(p, 1);
	inheriting = eat(p, 'I');
	if (!p->rest.len || !x->last)
		return itanium_fail(p);
	advance(p, 1);
	if (inheriting)
		base = itanium_type(p, false);
	return tagged_name(
		p, node_new(p, NODE_CONSTRUCTOR, last_name(x->last), base));
}

static struct node *destructor(struct itanium *p, const struct prefix *x)
{
	if (peek_at(p, 1) == 'T' || peek_at(p, 1) == 't')
		return itanium_type(p, false);
	if (p->rest.len < 2 || !x->last)
		return itanium_fail(p);
	advance(p, 2);
	return tagged_name(
		p, node_new(p, NODE_DESTRUCTOR, last_name(x->last), NULL));
}

/* Template arguments, or clang's J without an I around it. */
static struct node *prefix_args(struct itanium *p, struct prefix *x)
{
	struct node *whole = x->whole;
	struct node *cast = x->cast;
	uint32_t mark = p->pending.count;
	struct node *template;

	if (!whole)
		return itanium_fail(p);
	x->whole = NULL;
	x->cast = NULL;
	if (peek(p) == 'I')
		return with_args(p, whole, cast);

	while (!p->failed && peek(p) != 'E')
		stack_push(p, &p->pending, itanium_template_arg(p, NULL));
	advance(p, 1);
	template = node_listed(p, NODE_TEMPLATE, whole, pending_take(p, mark));
	if (p->failed || !cast)
		return template;
	itanium_set_template(p, cast, template);
	args_complete(p, template->list[0]);
	return template;
}

static struct node *prefix_name(struct itanium *p, struct prefix *x)
{
	bool cast;
	struct node *n = itanium_unqualified_name(p, x->module, &cast);

	x->module = NULL;
	if (p->failed || !cast)
		return n;
	x->cast = node_is(n, NODE_TAGGED) ? n->kid[0] : n;
	if (x->cast->kind != NODE_CAST)
		return itanium_fail(p);
	return n;
}

/* One component, or NULL for what adds none. */
static struct node *prefix_component(struct itanium *p, struct prefix *x)
{
	uint8_t c = peek(p);
	struct node *n;

	if (is_digit(c) || is_lower(c) || c == 'U' || c == 'L' || c == 'F' ||
	    c == 'W' || looking_at(p, "DC"))
		return prefix_name(p, x);
	switch (c) {
	case 'C':
		return constructor(p, x);
	case 'D':
		return destructor(p, x);
	case 'S':
		n = itanium_substitution(p, true);
		if (!node_is(n, NODE_MODULE_NAME))
			return n;
		x->module = n;
		return NULL;
	case 'I':
	case 'J':
		return prefix_args(p, x);
	case 'T':
		return itanium_template_param(p);
	case 'M':
		/* Says that a lambda initializes a member: not shown. */
		if (!x->whole)
			return itanium_fail(p);
		advance(p, 1);
		return NULL;
	default:
		return itanium_fail(p);
	}
}

static struct node *prefix_end(struct itanium *p, struct prefix *x)
{
	struct node *to;

	if (!x->whole)
		return itanium_fail(p);
	if (x->cast) {
		to = x->cast->kid[0];
		itanium_set_template(p, x->cast,
				     node_is(to, NODE_TEMPLATE) ? to : NULL);
	}
	return p->failed ? NULL : x->whole;
}

static struct node *nested_prefix(struct itanium *p)
{
	struct prefix x = { 0 };

	while (!p->failed && peek(p) != 'E') {
		bool substituted = peek(p) == 'S';
		struct node *n = prefix_component(p, &x);

		if (p->failed)
			return NULL;
		if (!n)
			continue;
		x.last = n;
		x.whole = x.whole ? node_new(p, NODE_QUALIFIED, x.whole, n) : n;
		if (!substituted && peek(p) != 'E')
			stack_push(p, &p->subs, x.whole);
	}
	return prefix_end(p, &x);
}

static struct node *nested_name(struct itanium *p, bool *ret_explicit_object)
{
	struct node *qualifiers = NULL;
	int32_t ref = 0;
	struct node *n;

	advance(p, 1);
	*ret_explicit_object = eat(p, 'H');
	if (!*ret_explicit_object) {
		qualifiers = itanium_cv_qualifiers(p);
		ref = itanium_ref_qualifier(p);
	}
	n = nested_prefix(p);
	if (qualifiers || ref) {
		n = node_new(p, NODE_QUALIFIED_METHOD, n, qualifiers);
		if (n)
			n->num = ref;
	}
	return expect(p, 'E') ? n : NULL;
}

/* <local-name> ::= Z <encoding> E (s | [d [<number>] _] <name>) */
static struct node *local_name(struct itanium *p, bool *ret_explicit_object)
{
	struct node *function;
	struct node *entity;
	struct node *n;
	int32_t number = -1;

	advance(p, 1);
	function = itanium_encoding(p, true, true);
	if (!expect(p, 'E'))
		return NULL;
	if (eat(p, 's')) {
		entity = node_named(p, "string literal");
		discriminator(p);
	} else {
		if (eat(p, 'd'))
			number = itanium_compact_number(p);
		entity = itanium_name(p, ret_explicit_object);
		discriminator(p);
		if (number >= 0)
			entity = node_num(p, NODE_DEFAULT_ARG, entity, number);
	}
	n = node_new(p, NODE_QUALIFIED, function, entity);
	if (n)
		n->flag = true;
	return n;
}

/* An unqualified name, not in a scope or in std, with its arguments. */
static struct node *unscoped_name(struct itanium *p, struct node *module,
				  bool in_std)
{
	bool cast;
	struct node *n = itanium_unqualified_name(p, module, &cast);

	if (in_std)
		n = node_new(p, NODE_QUALIFIED, node_named(p, "std"), n);
	if (p->failed)
		return NULL;
	if (peek(p) == 'I') {
		stack_push(p, &p->subs, n);
		return with_args(p, n, cast ? n : NULL);
	}
	if (cast)
		itanium_set_template(p, n, NULL);
	return p->failed ? NULL : n;
}

struct node *itanium_name(struct itanium *p, bool *ret_explicit_object)
{
	bool ignored;
	struct node *n;

	if (!ret_explicit_object)
		ret_explicit_object = &ignored;
	*ret_explicit_object = false;
	if (p->failed)
		return NULL;
	switch (peek(p)) {
	case 'N':
		return nested_name(p, ret_explicit_object);
	case 'Z':
		return local_name(p, ret_explicit_object);
	case 'U':
		return itanium_unqualified_name(p, NULL, &ignored);
	case 'S':
		break;
	default:
		return unscoped_name(p, NULL, false);
	}
	if (peek_at(p, 1) == 't') {
		advance(p, 2);
		return unscoped_name(p, NULL, true);
	}
	n = itanium_substitution(p, false);
	if (node_is(n, NODE_MODULE_NAME))
		return unscoped_name(p, n, false);
	return !p->failed && peek(p) == 'I' ? with_args(p, n, NULL) : n;
}

/* The template whose arguments a function's type may refer to, or NULL. */
static struct node *find_template(struct node *n)
{
	while (n) {
		switch (n->kind) {
		case NODE_TEMPLATE:
			return n;
		case NODE_QUALIFIED:
			if (!n->flag && n->kid[1]->kind != NODE_CONSTRUCTOR)
				return NULL;
			n = n->kid[1];
			break;
		case NODE_QUALIFIED_METHOD:
			n = n->kid[0];
			break;
		case NODE_CONSTRUCTOR:
			n = n->kid[1];
			break;
		default:
			return NULL;
		}
	}
	return NULL;
}

/* Constructors, destructors and conversions have no result to mangle. */
static bool no_result(const struct node *n)
{
	while (n->kind == NODE_QUALIFIED)
		n = n->kid[1];
	return n->kind == NODE_CONSTRUCTOR || n->kind == NODE_DESTRUCTOR ||
	       n->kind == NODE_CAST;
}

/* Whether the function's type starts with its result. */
static bool has_result(const struct node *n)
{
	for (;;) {
		switch (n->kind) {
		case NODE_QUALIFIED:
			if (!n->flag)
				return false;
			n = n->kid[1];
			break;
		case NODE_TEMPLATE:
			return !no_result(n->kid[0]);
		case NODE_QUALIFIED_TYPE:
		case NODE_QUALIFIED_METHOD:
			n = n->kid[0];
			break;
		default:
			return false;
		}
	}
}

/*
 * Where the qualifiers of a function that is local to another one are: they
 * belong to its "this", though they stand at its name.
 */
static struct node **local_method(struct node *n)
{
	struct node **slot;

	if (n->kind != NODE_QUALIFIED || !n->flag)
		return NULL;
	slot = &n->kid[1];
	if ((*slot)->kind == NODE_DEFAULT_ARG)
		slot = &(*slot)->kid[0];
	return (*slot)->kind == NODE_QUALIFIED_METHOD ? slot : NULL;
}

static struct node *without_qualifiers(struct node *n)
{
	struct node **slot;

	if (n->kind == NODE_QUALIFIED_METHOD)
		n = n->kid[0];
	slot = local_method(n);
	if (slot)
		*slot = (*slot)->kid[0];
	return n;
}

/* What follows a function's name: clang's enable_if, the type, constraints. */
struct signature {
	struct node_list conditions;
	struct node *type;
	struct node *constraint;
};

static struct signature signature(struct itanium *p, struct node *name,
				  bool explicit_object)
{
	static const char enable_if[] = "Ua9enable_ifI";
	struct node *template = find_template(name);
	uint32_t level = p->lambda_level;
	struct signature s = { 0 };

	if (template) {
		stack_push(p, &p->templates, template);
		p->lambda_level = 0;
	}
	if (looking_at(p, enable_if)) {
		advance(p, sizeof(enable_if) - 2);
		s.conditions = itanium_template_args(p);
	}
	s.type = itanium_bare_function(p, has_result(name), explicit_object);
	if (!p->failed && peek(p) == 'Q')
		s.constraint = itanium_constraint(p);
	if (template && !p->failed) {
		p->templates.count--;
		p->lambda_level = level;
	}
	s.type = itanium_simplify(p, s.type);
	return s;
}

/* Puts name and signature together. */
static struct node *function(struct itanium *p, struct node *name,
			     struct signature s)
{
	struct node *type = s.type;
	struct node **slot;
	struct node *n;

	/* Qualifiers of the name are those of the function. */
	if (name->kind == NODE_QUALIFIED_METHOD) {
		struct node *method = name;

		name = method->kid[0];
		method->kid[0] = type;
		type = method;
	}
	slot = local_method(name);
	if (slot) {
		struct node *method = *slot;

		*slot = method->kid[0];
		method->kid[0] = type;
		type = method;
	}
	n = node_new(p, NODE_TYPED, name, type);
	if (s.conditions.count)
		n = node_listed(p, NODE_ENABLE_IF, n, s.conditions);
	if (s.constraint)
		n = node_new(p, NODE_CONSTRAINT, n, s.constraint);
	return n;
}

static struct node *encoding(struct itanium *p, bool params, bool local)
{
	bool explicit_object;
	struct signature s;
	struct node *n;

	if (peek(p) == 'G' || peek(p) == 'T')
		return itanium_special_name(p);
	n = itanium_simplify(p, itanium_name(p, &explicit_object));
	if (p->failed)
		return NULL;
	if (!params)
		return without_qualifiers(n);
	if (!p->rest.len || peek(p) == 'E')
		return n;

	s = signature(p, n, explicit_object);
	if (p->failed)
		return NULL;
	if (local && s.type->kind == NODE_FUNCTION)
		s.type->flag = true;
	return function(p, n, s);
}

/*
 * <encoding> ::= <name> [<bare-function-type>] | <special-name>.  local: it
 * encloses the entity that the name is about.
 */
struct node *itanium_encoding(struct itanium *p, bool params, bool local)
{
	struct node *n;

	if (!itanium_enter(p))
		return NULL;
	n = encoding(p, params, local);
	p->depth--;
	return p->failed ? NULL : n;
}

static struct node *in_std(struct itanium *p, const char *name)
{
	return node_new(p, NODE_QUALIFIED, node_named(p, "std"),
			node_named(p, name));
}

/* std::name<char>, or with char_traits std::name<char, std::char_traits...> */
static struct node *of_char(struct itanium *p, const char *name, bool traits)
{
	struct node *n = node_listed(p, NODE_TEMPLATE, in_std(p, name),
				     (struct node_list){ 0 });
	struct node *c = node_text(p, NODE_BUILTIN, NULL, span_text("char"));

	if (p->failed)
		return NULL;
	c->num = 'c';
	list_append(p, &n->list[0], c);
	if (traits)
		list_append(p, &n->list[0], of_char(p, "char_traits", false));
	return n;
}

static struct node *long_string(struct itanium *p)
{
	struct node *n = of_char(p, "basic_string", true);

	if (n)
		list_append(p, &n->list[0], of_char(p, "allocator", false));
	return n;
}

/* The abbreviations St, Sa...; prefix: in the long form for a constructor. */
static struct node *standard_name(struct itanium *p, uint8_t code, bool verbose)
{
	switch (code) {
	case 't':
		return node_named(p, "std");
	case 'a':
		return in_std(p, "allocator");
	case 'b':
		return in_std(p, "basic_string");
	case 's':
		return verbose ? long_string(p) : in_std(p, "string");
	case 'i':
		return verbose ? of_char(p, "basic_istream", true)
			       : in_std(p, "istream");
	case 'o':
		return verbose ? of_char(p, "basic_ostream", true)
			       : in_std(p, "ostream");
	case 'd':
		return verbose ? of_char(p, "basic_iostream", true)
			       : in_std(p, "iostream");
	default:
		return itanium_fail(p);
	}
}

static struct node *abbreviation(struct itanium *p, bool prefix)
{
	uint8_t code = peek(p);
	struct node *n;

	advance(p, 1);
	prefix = prefix && (peek(p) == 'C' || peek(p) == 'D');
	n = standard_name(p, code, prefix);
	if (n)
		n->flag2 = true; /* is no candidate for substitution itself */
	if (!p->failed && peek(p) == 'B') {
		n = tagged_name(p, n);
		stack_push(p, &p->subs, n);
	}
	return n;
}

struct node *itanium_substitution(struct itanium *p, bool prefix)
{
	uint8_t c = peek_at(p, 1);
	int32_t id;

	advance(p, 1);
	if (c != '_' && !is_digit(c) && !is_upper(c))
		return abbreviation(p, prefix);
	id = itanium_sequence_id(p, false);
	if (p->failed || (uint32_t)id >= p->subs.count)
		return itanium_fail(p);
	return itanium_resubstitute(p, p->subs.at[id]);
}
