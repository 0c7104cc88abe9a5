/* SPDX-License-Identifier: MIT */
/*
 * The ways into a C++ name: plain, of a block of Objective C++, of a file's
 * global constructors; and the suffixes that compilers add to clones.
 */
#include "symbol/mangling.h"

#include "symbol/demangle.h"
#include "symbol/itanium.h"

static bool is_suffix_char(uint8_t c)
{
	return is_lower(c) || is_digit(c) || c == '_';
}

/* .isra.0 and the like: a word, then numbers. */
static struct node *clone_suffix(struct itanium *p, struct node *n)
{
	size_t len = 1;

	while (is_suffix_char(peek_at(p, len)))
		len++;
	while (peek_at(p, len) == '.' && is_digit(peek_at(p, len + 1)))
		for (len += 2; is_digit(peek_at(p, len));)
			len++;
	n = node_text(p, NODE_CLONE, n, span_of(p->rest.at, len));
	advance(p, len);
	return n;
}

/* Everything after the _Z. */
static struct node *mangled(struct itanium *p, struct span name, unsigned flags)
{
	struct node *n;

	p->rest = name;
	n = itanium_encoding(p, !(flags & DEMANGLE_NO_PARAMS), false);
	if (flags & (DEMANGLE_NO_PARAMS | DEMANGLE_NO_CLONES))
		return n;
	while (!p->failed && peek(p) == '.' && is_suffix_char(peek_at(p, 1)))
		n = clone_suffix(p, n);
	if (p->rest.len)
		return itanium_fail(p);
	return n;
}

/* The last place of word in s, or s.len. */
static size_t find_last(struct span s, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = s.len; i >= len; i--)
		if (!memcmp(s.at + i - len, word, len))
			return i - len;
	return s.len;
}

/* ___Z <name> _block_invoke [_] <digits> [. anything] */
static struct node *block(struct itanium *p, struct span name, unsigned flags)
{
	static const char invoke[] = "_block_invoke";
	size_t at = find_last(name, invoke);
	struct node *n;

	if (at == name.len || at < 4)
		return itanium_fail(p);
	n = mangled(p, span_part(name, 4, at - 4), flags);
	if (p->failed)
		return NULL;
	at += sizeof(invoke) - 1;
	p->rest = span_part(name, at, name.len - at);
	(void)eat(p, '_');
	while (is_digit(peek(p)))
		advance(p, 1);
	if (p->rest.len && peek(p) != '.')
		return itanium_fail(p);
	return node_text(p, NODE_SPECIAL, n,
			 span_text("invocation function for block in "));
}

/* _GLOBAL_ <separator> (I | D) _ (_Z <name> | <text>) */
static struct node *global_init(struct itanium *p, struct span name,
				unsigned flags)
{
	struct span s = span_part(name, 8, name.len - 8);
	struct node *n;

	if (s.len < 4 || (s.at[0] != '.' && s.at[0] != '_' && s.at[0] != '$') ||
	    (s.at[1] != 'I' && s.at[1] != 'D') || s.at[2] != '_')
		return itanium_fail(p);
	/* The GNU demangler shows parameters here whatever is asked. */
	if (s.len > 4 && s.at[3] == '_' && s.at[4] == 'Z')
		n = mangled(p, span_part(s, 5, s.len - 5),
			    flags & ~(unsigned)DEMANGLE_NO_PARAMS);
	else
		n = node_text(p, NODE_NAME, NULL, s);
	n = node_new(p, NODE_GLOBAL_INIT, n, NULL);
	if (n)
		n->flag = s.at[1] == 'I';
	return n;
}

bool itanium_demangle(struct scratch *scratch, struct span name, unsigned flags,
		      struct text *out)
{
	struct itanium p = { .scratch = scratch };
	struct node *n;

	if (span_starts(name, "_Z"))
		n = mangled(&p, span_part(name, 2, name.len - 2), flags);
	else if (span_starts(name, "___Z"))
		n = block(&p, name, flags);
	else if (span_starts(name, "_GLOBAL_"))
		n = global_init(&p, name, flags);
	else
		return false;
	return itanium_print(&p, n, flags, out);
}
