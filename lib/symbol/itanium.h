/* SPDX-License-Identifier: MIT */
/*
 * Inside the demangler of C++ names: the tree that a name is parsed into, and
 * the parser.  A tree rather than text, because a declaration is written
 * inside out, a template parameter stands for an argument found elsewhere, and
 * what is left out (parameters, template arguments) is known only when
 * printing.  Only lib/symbol/itanium*.c include this.
 */
#ifndef WICK_SYMBOL_ITANIUM_H
#define WICK_SYMBOL_ITANIUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "symbol/scratch.h"

/* In brackets: the children in kid[], those in list[], and other fields. */
enum node_kind {
	NODE_NAME,		  /* (text) */
	NODE_TYPED,		  /* [name, type] a function with its type */
	NODE_QUALIFIED,		  /* [scope, name] (flag: a local name) */
	NODE_TEMPLATE,		  /* [name] [args] */
	NODE_TEMPLATE_PARAM,	  /* (num: index, ref: the template) */
	NODE_LAMBDA_AUTO,	  /* (num) an auto parameter of a lambda */
	NODE_DECLARED_ARG,	  /* [declaration, argument] */
	NODE_QUALIFIERS,	  /* [] [NODE_QUALIFIER...] */
	NODE_QUALIFIER,		  /* (text) [] [expressions] */
	NODE_QUALIFIED_TYPE,	  /* [type, qualifiers] */
	NODE_QUALIFIED_METHOD,	  /* [method, qualifiers?] (num: of '&') */
	NODE_BUILTIN,		  /* (text, num: its code) */
	NODE_POINTER,		  /* [type] */
	NODE_REFERENCE,		  /* [type] */
	NODE_RVALUE,		  /* [type] */
	NODE_COMPLEX,		  /* [type] */
	NODE_IMAGINARY,		  /* [type] */
	NODE_SUFFIXED_TYPE,	  /* [type] (text) */
	NODE_TRANSFORMED_TYPE,	  /* [type] (text) */
	NODE_VENDOR_TYPE,	  /* [qualifier, type] */
	NODE_ARRAY,		  /* [dimension, element] */
	NODE_FUNCTION,		  /* [result?] [params] (flag: encloses) */
	NODE_FUNCTION_PARAM,	  /* (num) */
	NODE_MEMBER_POINTER,	  /* [class, member] */
	NODE_FIXED_POINT,	  /* [type] (flag: accum, flag2: saturates) */
	NODE_FLOAT_BITS,	  /* (num) */
	NODE_BIT_INT,		  /* [size] (flag: signed) */
	NODE_VECTOR,		  /* [dimension, element] */
	NODE_ELABORATED,	  /* [type] (text: struct...) */
	NODE_DECLTYPE,		  /* [expression] */
	NODE_OPERATOR,		  /* (text) */
	NODE_CONSTRUCTOR,	  /* [name, inherited from?] */
	NODE_DESTRUCTOR,	  /* [name] */
	NODE_GLOBAL_INIT,	  /* [key] (flag: constructors) */
	NODE_TAGGED,		  /* [name, tag] */
	NODE_PACK_EXPANSION,	  /* [pattern] (ref: the pack or NULL) */
	NODE_PACK,		  /* [] [arguments] */
	NODE_SIZEOF_PACK,	  /* (ref: the pack) */
	NODE_SIZEOF_ARGS,	  /* [] [arguments] */
	NODE_PARAM_NAME,	  /* (text: prefix, num) made up for a lambda */
	NODE_TYPE_PARAM,	  /* [name] */
	NODE_VALUE_PARAM,	  /* [name, type] */
	NODE_TEMPLATE_TEMPLATE,	  /* [name, constraint?] [params] */
	NODE_CONSTRAINED_PARAM,	  /* [name, concept] */
	NODE_PARAM_PACK,	  /* [param] */
	NODE_CAST,		  /* [type] a conversion operator */
	NODE_NULLARY,		  /* [operator] */
	NODE_UNARY,		  /* [op, expr] (flag: postfix, flag2: type) */
	NODE_BINARY,		  /* [op, left, right] */
	NODE_TERNARY,		  /* [op, first, second, third] */
	NODE_FOLD,		  /* [op, first, second?] (flag: left) */
	NODE_SUBOBJECT,		  /* [type, expression] (num: offset) */
	NODE_MEMBER_CAST,	  /* [type, expression] */
	NODE_NEW,		  /* [op, placement?, type, initializer?] */
	NODE_LITERAL,		  /* [type] (text, flag: negative) */
	NODE_STRING_LITERAL,	  /* [type] */
	NODE_LAMBDA_EXPRESSION,	  /* [type] */
	NODE_EXPRESSIONS,	  /* [] [expressions] */
	NODE_INITIALIZER_LIST,	  /* [type?, expressions] */
	NODE_DEFAULT_ARG,	  /* [name] (num) */
	NODE_CLOSURE,		  /* [requires?, requires?] [declared, params]
				     (num) */
	NODE_BINDINGS,		  /* [] [names] */
	NODE_UNNAMED,		  /* (num) */
	NODE_CLONE,		  /* [name] (text) */
	NODE_SPECIAL,		  /* [entity] (text: "vtable for "...) */
	NODE_CONSTRUCTION_VTABLE, /* [base, derived] */
	NODE_ENABLE_IF,		  /* [function] [conditions] */
	NODE_MODULE_NAME,	  /* [parent?, name] (flag: a partition) */
	NODE_MODULE_ENTITY,	  /* [module, name] */
	NODE_FRIEND,		  /* [name] */
	NODE_CONSTRAINT,	  /* [name, constraint] */
	NODE_REQUIRES,		  /* [] [params, requirements] */
	NODE_EXPRESSION_REQ,	  /* [expr, concept?] (flag: noexcept) */
	NODE_TYPE_REQ,		  /* [type] */
	NODE_NESTED_REQ,	  /* [constraint] */
	NODE_OBJECT_PARAM,	  /* [type] C++23's "this T" */
	NODE_KINDS,
};

/* Codes of built-in types that start with a D. */
enum { BUILTIN_D = 0x100 };

struct node_list {
	struct node **at;
	uint32_t count;
};

/* A part of a name.  Parts are shared: the tree is a graph without cycles but
 * for the ref of a template parameter. */
struct node {
	uint8_t kind;
	bool flag;
	bool flag2;
	uint8_t printing; /* how often it is on the way to what is printed */
	uint32_t seen;	  /* the last walk that met it */
	int32_t num;
	struct span text;
	struct node *kid[4];
	struct node *ref; /* not walked */
	struct node_list list[2];
};

struct node_stack {
	struct node **at;
	uint32_t count;
	uint32_t capacity;
};

/*
 * The parser.  The first error sets failed; every function may return NULL
 * then, and callers that go on with a result check failed first.
 */
struct itanium {
	struct scratch *scratch;
	struct span rest; /* not yet parsed */
	bool failed;
	bool in_constraint; /* where template parameters stay what they are */
	unsigned depth;
	uint32_t work;		     /* nodes visited so far, bounded */
	struct node_stack subs;	     /* what S_, S0_... stand for */
	struct node_stack templates; /* whose parameters are in scope */
	struct node_stack pending;   /* lists being collected */
	uint32_t lambda_level;	     /* templates outside the lambda, plus 1 */
	int32_t named[3];	     /* parameters named so far, by sort */
	uint32_t walks;		     /* number of the last walk */
	uint32_t nested;	     /* walks going on inside one another */
};

/* itanium_node.c: making the tree. */

/* Records the error; always NULL. */
struct node *itanium_fail(struct itanium *p);

/* Counts a level of recursion; false, having failed, if there are too many. */
bool itanium_enter(struct itanium *p);

/* Counts work; false, having failed, if there was too much. */
bool itanium_spend(struct itanium *p);

/* Returns zeroed memory, or NULL having failed. */
void *itanium_alloc(struct itanium *p, size_t size);

struct node *node_new(struct itanium *p, enum node_kind kind, struct node *a,
		      struct node *b);
struct node *node_text(struct itanium *p, enum node_kind kind, struct node *a,
		       struct span text);
struct node *node_num(struct itanium *p, enum node_kind kind, struct node *a,
		      int32_t num);
struct node *node_listed(struct itanium *p, enum node_kind kind, struct node *a,
			 struct node_list list);
struct node *node_named(struct itanium *p, const char *name);

void stack_push(struct itanium *p, struct node_stack *s, struct node *n);
void list_append(struct itanium *p, struct node_list *list, struct node *n);

/* Takes what was pushed on pending since mark as a list. */
struct node_list pending_take(struct itanium *p, uint32_t mark);

/* itanium_walk.c: what changes the tree, and what looks for things in it. */

/*
 * Puts template arguments in the place of parameters, expands packs, merges
 * qualifiers and collapses references.
 */
struct node *itanium_simplify(struct itanium *p, struct node *n);

/* Merges qualifiers into a, which changes; either may be NULL. */
struct node *itanium_merge_qualifiers(struct itanium *p, struct node *a,
				      struct node *b);

/* What a substitution of n means where the parser is now. */
struct node *itanium_resubstitute(struct itanium *p, struct node *n);

/*
 * Tells the parameters in a conversion operator's type, which comes before the
 * arguments of its template, what they are parameters of.  NULL: of nothing,
 * and there must be none.
 */
void itanium_set_template(struct itanium *p, struct node *n,
			  struct node *template);

/* The pack that a pack expansion of n expands, or NULL. */
struct node *itanium_find_pack(struct itanium *p, struct node *n);

/* itanium_name.c */
struct node *itanium_encoding(struct itanium *p, bool params, bool local);
struct node *itanium_name(struct itanium *p, bool *ret_explicit_object);
struct node *itanium_unqualified_name(struct itanium *p, struct node *module,
				      bool *ret_cast);
struct node *itanium_source_name(struct itanium *p);
struct node *itanium_operator_name(struct itanium *p, bool in_expression,
				   int *ret_args);
struct node *itanium_substitution(struct itanium *p, bool prefix);
struct node *itanium_module_name(struct itanium *p, struct node *parent);

/* itanium_special.c */
struct node *itanium_special_name(struct itanium *p);
int32_t itanium_sequence_id(struct itanium *p, bool may_end);

/* itanium_type.c */
struct node *itanium_type(struct itanium *p, bool cast);
struct node *itanium_cv_qualifiers(struct itanium *p);
int32_t itanium_ref_qualifier(struct itanium *p);
struct node_list itanium_params(struct itanium *p, bool explicit_object);
struct node *itanium_bare_function(struct itanium *p, bool has_result,
				   bool explicit_object);

/* itanium_template.c */
struct node_list itanium_template_args(struct itanium *p);
struct node *itanium_template_arg(struct itanium *p,
				  const struct node_list *before);
struct node *itanium_template_param(struct itanium *p);
struct node *itanium_closure(struct itanium *p);
struct node *itanium_unnamed(struct itanium *p);

/* itanium_expr.c */
struct node *itanium_expression(struct itanium *p);
struct node *itanium_expr_primary(struct itanium *p);
struct node *itanium_constraint(struct itanium *p);

/* itanium_print.c: writes the tree with demangle.h's flags; false: failed. */
bool itanium_print(struct itanium *p, struct node *n, unsigned flags,
		   struct text *out);

/* The parser's eyes and feet. */

static inline uint8_t peek(const struct itanium *p)
{
	return p->rest.len ? p->rest.at[0] : 0;
}

static inline uint8_t peek_at(const struct itanium *p, size_t i)
{
	return p->rest.len > i ? p->rest.at[i] : 0;
}

static inline bool looking_at(const struct itanium *p, const char *s)
{
	return span_starts(p->rest, s);
}

static inline void advance(struct itanium *p, size_t n)
{
	if (n > p->rest.len)
		n = p->rest.len;
	p->rest = span_of(p->rest.at + n, p->rest.len - n);
}

static inline bool eat(struct itanium *p, uint8_t c)
{
	if (!p->rest.len || p->rest.at[0] != c)
		return false;
	advance(p, 1);
	return true;
}

/* Fails if c does not come next. */
static inline bool expect(struct itanium *p, uint8_t c)
{
	if (!p->failed && !eat(p, c))
		itanium_fail(p);
	return !p->failed;
}

static inline bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool node_is(const struct node *n, enum node_kind kind)
{
	return n && n->kind == kind;
}

/* itanium_special.c: [n] and decimal digits; "_", or digits and "_". */
int32_t itanium_number(struct itanium *p);
int32_t itanium_compact_number(struct itanium *p);

#endif /* WICK_SYMBOL_ITANIUM_H */
