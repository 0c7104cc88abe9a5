/* SPDX-License-Identifier: MIT */
/*
 * Reads a command line against a table of option rows, as GNU programs do:
 * bundled letters, --name=value and --name value, "--".  Not getopt: its two
 * tables and a switch would be a third and fourth place that describe each
 * option.  Long names may not be shortened, so that adding an option never
 * breaks a script.
 */
#include "cmd/opt.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "cmd/suggest.h"

/* An option as the user wrote it, for messages: "--output" or "-o". */
struct spelling {
	const char *dashes;
	const char *name;
	int len;
};

#define SPELLING   "'%s%.*s'"
#define SPELLED(s) (s)->dashes, (s)->len, (s)->name

static int set_flag(const struct opt *o, const struct spelling *as,
		    const char *value, struct error *err)
{
	(void)as;
	(void)value;
	(void)err;
	*o->to.flag = o->kind == OPT_KIND_FLAG;
	return 0;
}

static int set_uint(const struct opt *o, const struct spelling *as,
		    const char *value, struct error *err)
{
	unsigned number = 0;
	const char *p = value;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *p - '0', &number))
			return error_set(err, -EINVAL,
					 "option " SPELLING
					 ": '%s' is too large (at most %u)",
					 SPELLED(as), value, UINT_MAX);
	}
	if (p == value || *p)
		return error_set(err, -EINVAL,
				 "option " SPELLING
				 " takes a whole number, not '%s'",
				 SPELLED(as), value);

	*o->to.number = number;
	return 0;
}

static int set_string(const struct opt *o, const struct spelling *as,
		      const char *value, struct error *err)
{
	(void)as;
	(void)err;
	*o->to.text = value;
	return 0;
}

static int set_choice(const struct opt *o, const struct spelling *as,
		      const char *value, struct error *err)
{
	struct suggestion near = { .typed = value };

	for (unsigned i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], value)) {
			*o->to.number = i;
			return 0;
		}
		suggest_offer(&near, o->choices[i]);
	}
	if (near.best)
		return error_set(err, -EINVAL,
				 "option " SPELLING
				 " does not know '%s'; did you mean '%s'?",
				 SPELLED(as), value, near.best);
	return error_set(err, -EINVAL, "option " SPELLING " does not know '%s'",
			 SPELLED(as), value);
}

static int set_list(const struct opt *o, const struct spelling *as,
		    const char *value, struct error *err)
{
	struct opt_list *list = o->to.list;

	if (list->count == OPT_LIST_MAX)
		return error_set(err, -EINVAL,
				 "option " SPELLING
				 " may be given at most %d times",
				 SPELLED(as), OPT_LIST_MAX);

	list->at[list->count++] = value;
	return 0;
}

static int set_call(const struct opt *o, const struct spelling *as,
		    const char *value, struct error *err)
{
	int r = o->to.call(value, err);

	if (r < 0)
		error_prefix(err, "option " SPELLING, SPELLED(as));
	return r;
}

static int (*const setters[])(const struct opt *, const struct spelling *,
			      const char *, struct error *) = {
	[OPT_KIND_FLAG] = set_flag,	[OPT_KIND_UNSET] = set_flag,
	[OPT_KIND_UINT] = set_uint,	[OPT_KIND_STRING] = set_string,
	[OPT_KIND_CHOICE] = set_choice, [OPT_KIND_LIST] = set_list,
	[OPT_KIND_CALL] = set_call,
};

static int set(const struct opt *o, const struct spelling *as,
	       const char *value, struct error *err)
{
	ASSERT(o->kind < ARRAY_SIZE(setters) && setters[o->kind]);
	return setters[o->kind](o, as, value, err);
}

static const struct opt *name_in(const struct opt *o, const char *name,
				 size_t len)
{
	for (; o && o->kind != OPT_KIND_END; o++)
		if (opt_is_option(o) && o->name &&
		    !strncmp(o->name, name, len) && !o->name[len])
			return o;
	return NULL;
}

static const struct opt *find_name(const struct opt_parser *p, const char *name,
				   size_t len)
{
	const struct opt *o = name_in(p->own, name, len);

	return o ? o : name_in(p->common, name, len);
}

static const struct opt *letter_in(const struct opt *o, char letter)
{
	for (; o && o->kind != OPT_KIND_END; o++)
		if (o->letter == letter)
			return o;
	return NULL;
}

static const struct opt *find_letter(const struct opt_parser *p, char letter)
{
	const struct opt *o = letter_in(p->own, letter);

	return o ? o : letter_in(p->common, letter);
}

static void offer_names(struct suggestion *s, const struct opt *o)
{
	for (; o && o->kind != OPT_KIND_END; o++)
		if (opt_is_option(o) && o->name)
			suggest_offer(s, o->name);
}

const char *opt_suggest(const struct opt *opts, const char *name)
{
	struct suggestion s = { .typed = name };

	offer_names(&s, opts);
	return s.best;
}

/* Where opt_parse() stands. */
struct walk {
	const struct opt_parser *parser;
	char **next; /* the argument to read next */
	char **keep; /* where the next operand is kept; never after next */
	struct error *err;
};

static int unknown_name(struct walk *w, const struct spelling *as)
{
	char typed[64];
	struct suggestion near = { .typed = typed };

	if ((size_t)as->len < sizeof(typed)) {
		memcpy(typed, as->name, (size_t)as->len);
		typed[as->len] = '\0';
		offer_names(&near, w->parser->own);
		offer_names(&near, w->parser->common);
	}
	if (near.best)
		return error_set(w->err, -EINVAL,
				 "unknown option " SPELLING
				 "; did you mean '--%s'?",
				 SPELLED(as), near.best);
	return error_set(w->err, -EINVAL, "unknown option " SPELLING,
			 SPELLED(as));
}

static int set_from_next(struct walk *w, const struct opt *o,
			 const struct spelling *as)
{
	if (!*w->next)
		return error_set(w->err, -EINVAL,
				 "option " SPELLING " needs a value (%s)",
				 SPELLED(as), o->argument);
	return set(o, as, *w->next++, w->err);
}

static int parse_long(struct walk *w, const char *name)
{
	const char *equals = strchrnul(name, '=');
	struct spelling as = { "--", name, (int)(equals - name) };
	const struct opt *o = find_name(w->parser, name, (size_t)as.len);

	if (!o)
		return unknown_name(w, &as);
	if (!o->argument && *equals)
		return error_set(w->err, -EINVAL,
				 "option " SPELLING " takes no value",
				 SPELLED(&as));
	if (o->argument && !*equals)
		return set_from_next(w, o, &as);
	return set(o, &as, equals + 1, w->err);
}

static int unknown_letter(struct walk *w, const struct spelling *as,
			  const char *word)
{
	size_t len = strcspn(word, "=");
	const struct opt *o = find_name(w->parser, word, len);

	if (o && len > 1)
		return error_set(w->err, -EINVAL,
				 "unknown option '-%s'; did you mean '--%s'?",
				 word, o->name);
	return error_set(w->err, -EINVAL, "unknown option " SPELLING,
			 SPELLED(as));
}

/* "-abc" is -a -b -c, unless -a or -b takes the rest as its value. */
static int parse_letters(struct walk *w, const char *word)
{
	for (const char *letters = word; *letters; letters++) {
		struct spelling as = { "-", letters, 1 };
		const struct opt *o = find_letter(w->parser, *letters);
		int r;

		if (!o)
			return unknown_letter(w, &as, word);
		if (o->argument && letters[1])
			return set(o, &as, letters + 1, w->err);
		if (o->argument)
			return set_from_next(w, o, &as);
		r = set(o, &as, NULL, w->err);
		if (r < 0)
			return r;
	}
	return 0;
}

static void keep_rest(struct walk *w)
{
	while (*w->next)
		*w->keep++ = *w->next++;
}

int opt_parse(const struct opt_parser *p, char **argv, struct error *err)
{
	struct walk w = { .parser = p, .next = argv, .keep = argv, .err = err };

	while (*w.next) {
		char *arg = *w.next++;
		int r = 0;

		if (!strcmp(arg, "--")) {
			if (p->dashes)
				*p->dashes = true;
			keep_rest(&w);
		} else if (arg[0] != '-' || !arg[1]) {
			*w.keep++ = arg; /* "-" is standard input or output */
			if (p->stop_at_operand)
				keep_rest(&w);
		} else if (arg[1] == '-') {
			r = parse_long(&w, arg + 2);
		} else {
			r = parse_letters(&w, arg + 1);
		}
		if (r < 0)
			return r;
	}
	*w.keep = NULL;
	return (int)(w.keep - argv);
}
