/* SPDX-License-Identifier: MIT */
/*
 * Inside the printer of C++ names.  Only lib/symbol/itanium_print*.c include
 * this.
 */
#ifndef WICK_SYMBOL_ITANIUM_PRINT_H
#define WICK_SYMBOL_ITANIUM_PRINT_H

#include "symbol/itanium.h"

/*
 * The printer.  A declarator is written inside out, so a type that wraps
 * another is put on a list, and whoever is in the middle writes the list.  A
 * name, a template argument and the like start a list of their own.
 */
struct printer {
	struct itanium *parser; /* for its memory and limits */
	struct text *out;
	unsigned flags;
	struct node_stack inner;
	uint32_t base; /* where the present list starts in inner */
	struct node_stack saved;
};

typedef void print_fn(struct printer *pr, struct node *n);

void print_node(struct printer *pr, struct node *n);

/* As print_node(), where a node within itself does not count. */
void print_direct(struct printer *pr, struct node *n);
void print_list(struct printer *pr, struct node_list list, bool skip_empty);

/* Expressions. */
print_fn print_nullary, print_unary, print_binary, print_ternary, print_fold,
	print_subobject, print_member_cast, print_new, print_literal,
	print_string_literal, print_lambda_expression, print_expressions,
	print_initializer_list, print_closure, print_requires,
	print_expression_req, print_type_req, print_nested_req,
	print_pack_expansion, print_pack, print_sizeof_pack, print_sizeof_args;

/* Whether a template or qualified name was written in other, shorter words. */
bool print_folded(struct printer *pr, struct node *n);

/* How many of a template's arguments do not go without saying. */
uint32_t shown_args(const struct printer *pr, const struct node *template);

/* Whether nothing would be written. */
bool is_empty(const struct node *n);

#endif /* WICK_SYMBOL_ITANIUM_PRINT_H */
