/* SPDX-License-Identifier: MIT */
/*
 * Shorter words for names of the standard library, for wick's own reports:
 * std::string instead of std::__cxx11::basic_string<char, ...>, no inline
 * namespaces, no arguments that go without saying.  pprof's forms never come
 * here.
 */
#include "symbol/itanium_print.h"

#include "base/check.h"
#include "symbol/demangle.h"

/* A name without its ABI tags. */
static const struct node *untagged(const struct node *n)
{
	while (n->kind == NODE_TAGGED)
		n = n->kid[0];
	return n;
}

static bool is_named(const struct node *n, const char *name)
{
	n = untagged(n);
	return n->kind == NODE_NAME && span_equal(n->text, span_text(name));
}

/* Whether n is an inline namespace in std: std::__cxx11, std::__1... */
static bool is_inline_namespace(const struct node *n)
{
	static const char *const names[] = { "__cxx11", "__1", "__2", "__ndk1",
					     "__8" };
	const struct node *root = n;
	bool named = false;

	if (n->kind != NODE_QUALIFIED)
		return false;
	while (root->kind == NODE_QUALIFIED)
		root = root->kid[0];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		named |= is_named(n->kid[1], names[i]);
	return named && is_named(root, "std");
}

/* The X of std::X, or nothing. */
static struct span std_name(const struct node *n)
{
	const struct node *scope;

	n = untagged(n);
	if (n->kind != NODE_QUALIFIED || n->flag)
		return (struct span){ 0 };
	scope = n->kid[0];
	if (is_inline_namespace(scope))
		scope = scope->kid[0];
	if (!is_named(scope, "std"))
		return (struct span){ 0 };
	n = untagged(n->kid[1]);
	return n->kind == NODE_NAME ? n->text : (struct span){ 0 };
}

/* A standard template: what it is called, its arguments that always show. */
struct std_template {
	const char *name;
	const char *alias; /* for char; NULL: none */
	uint8_t shown;
};

static const struct std_template std_templates[] = {
	{ "basic_filebuf", "filebuf", 1 },
	{ "basic_fstream", "fstream", 1 },
	{ "basic_ifstream", "ifstream", 1 },
	{ "basic_ios", "ios", 1 },
	{ "basic_iostream", "iostream", 1 },
	{ "basic_istream", "istream", 1 },
	{ "basic_istringstream", "istringstream", 1 },
	{ "basic_ofstream", "ofstream", 1 },
	{ "basic_ostream", "ostream", 1 },
	{ "basic_ostringstream", "ostringstream", 1 },
	{ "basic_streambuf", "streambuf", 1 },
	{ "basic_string", "string", 1 },
	{ "basic_string_view", "string_view", 1 },
	{ "basic_stringbuf", "stringbuf", 1 },
	{ "basic_stringstream", "stringstream", 1 },
	{ "deque", NULL, 1 },
	{ "forward_list", NULL, 1 },
	{ "list", NULL, 1 },
	{ "map", NULL, 2 },
	{ "multimap", NULL, 2 },
	{ "multiset", NULL, 1 },
	{ "set", NULL, 1 },
	{ "unique_ptr", NULL, 1 },
	{ "unordered_map", NULL, 2 },
	{ "unordered_multimap", NULL, 2 },
	{ "unordered_multiset", NULL, 1 },
	{ "unordered_set", NULL, 1 },
	{ "vector", NULL, 1 },
};

static const struct std_template *find_template(const struct node *n)
{
	struct span name = std_name(n->kid[0]);

	for (size_t i = 0; name.len && i < ARRAY_SIZE(std_templates); i++)
		if (span_equal(name, span_text(std_templates[i].name)))
			return &std_templates[i];
	return NULL;
}

static bool is_usual(const struct node *arg)
{
	static const char *const usual[] = {
		"allocator", "char_traits", "default_delete",
		"equal_to",  "hash",	    "less",
	};
	struct span name;

	if (arg->kind != NODE_TEMPLATE)
		return false;
	name = std_name(arg->kid[0]);
	for (size_t i = 0; name.len && i < ARRAY_SIZE(usual); i++)
		if (span_equal(name, span_text(usual[i])))
			return true;
	return false;
}

uint32_t shown_args(const struct printer *pr, const struct node *template)
{
	uint32_t count = template->list[0].count;
	const struct std_template *known;

	if (!(pr->flags & DEMANGLE_FOLD_STD))
		return count;
	known = find_template(template);
	while (known && count > known->shown &&
	       is_usual(template->list[0].at[count - 1]))
		count--;
	return count;
}

/* What an alias starts with for this type of characters; NULL: there is none.
 */
static const char *alias_prefix(const struct node *type)
{
	if (type->kind != NODE_BUILTIN)
		return NULL;
	switch (type->num) {
	case 'c':
		return "";
	case 'w':
		return "w";
	case BUILTIN_D | 'u':
		return "u8";
	case BUILTIN_D | 's':
		return "u16";
	case BUILTIN_D | 'i':
		return "u32";
	default:
		return NULL;
	}
}

static bool print_alias(struct printer *pr, const struct node *n)
{
	const struct std_template *known = find_template(n);
	const char *prefix;

	if (!known || !known->alias || shown_args(pr, n) != 1)
		return false;
	prefix = alias_prefix(n->list[0].at[0]);
	if (!prefix)
		return false;
	text_put(pr->out, "std::");
	text_put(pr->out, prefix);
	text_put(pr->out, known->alias);
	return true;
}

bool print_folded(struct printer *pr, struct node *n)
{
	if (!(pr->flags & DEMANGLE_FOLD_STD))
		return false;
	if (n->kind == NODE_TEMPLATE)
		return print_alias(pr, n);
	if (n->kind != NODE_QUALIFIED || !is_inline_namespace(n->kid[0]))
		return false;
	print_node(pr, n->kid[0]->kid[0]);
	text_put(pr->out, "::");
	print_node(pr, n->kid[1]);
	return true;
}
