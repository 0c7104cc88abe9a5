/* SPDX-License-Identifier: MIT */
/*
 * D's names, as the language's ABI describes them, in the words of the GNU
 * demangler: qualified names with the parameters of functions, but without
 * attributes and results.
 */
#include "symbol/dlang.h"

#include "symbol/demangle.h"
#include "symbol/mangling.h"

static void put(struct dlang *d, const char *s)
{
	text_put(d->out, s);
}

bool dlang_number(struct dlang *d, uint32_t *ret)
{
	uint64_t value = 0;

	if (!dlang_is_digit(dlang_peek(d)))
		dlang_fail(d);
	for (; dlang_is_digit(dlang_peek(d)) && !d->failed; d->at++) {
		value = value * 10 + (dlang_peek(d) - '0');
		if (value > UINT32_MAX)
			dlang_fail(d);
	}
	*ret = (uint32_t)value;
	return !d->failed;
}

/* Exchanging parts of what is written. */

static void reverse(char *a, char *b)
{
	while (a + 1 < b) {
		char swap = *a;

		*a++ = *--b;
		*b = swap;
	}
}

/* Puts what was written since middle before what was since start. */
static void swap_parts(struct dlang *d, size_t start, size_t middle)
{
	char *at = d->out->at;

	if (d->failed || d->out->failed)
		return;
	reverse(at + start, at + middle);
	reverse(at + middle, at + d->out->used);
	reverse(at + start, at + d->out->used);
}

/*
 * <backref> ::= Q {A-Z} <a-z>, counted back from the Q in base 26.  Returns the
 * place that it refers to, or SIZE_MAX.
 */
static size_t read_backref(struct dlang *d)
{
	size_t start = d->at;
	size_t distance = 0;

	for (d->at++; distance <= start; d->at++) {
		uint8_t c = dlang_peek(d);

		if (c >= 'A' && c <= 'Z') {
			distance = distance * 26 + (c - 'A');
			continue;
		}
		if (c < 'a' || c > 'z')
			break;
		distance = distance * 26 + (c - 'a');
		d->at++;
		return distance && distance <= start ? start - distance
						     : SIZE_MAX;
	}
	return SIZE_MAX;
}

/* The letter that a type starts with, behind any back references. */
static uint8_t type_letter(const struct dlang *d)
{
	struct dlang ahead = *d;
	size_t to;

	if (dlang_peek(d) != 'Q')
		return dlang_peek(d);
	to = read_backref(&ahead);
	return to == SIZE_MAX ? 0 : d->name.at[to];
}

/* Whether a name comes next. */
static bool at_name(const struct dlang *d)
{
	uint8_t c = dlang_peek(d);

	if (c == '_')
		return dlang_peek_at(d, 1) == '_' &&
		       (dlang_peek_at(d, 2) == 'T' ||
			dlang_peek_at(d, 2) == 'U');
	return dlang_is_digit(c == 'Q' ? type_letter(d) : c);
}

static bool at_function(const struct dlang *d)
{
	uint8_t c = dlang_peek(d);

	return c && strchr("FUWVRY", c);
}

/* x const, y immutable, O shared, Ng inout; written with a space before. */
static void modifiers(struct dlang *d)
{
	for (;;) {
		if (dlang_eat(d, 'x'))
			put(d, " const");
		else if (dlang_eat(d, 'y'))
			put(d, " immutable");
		else if (dlang_eat(d, 'O'))
			put(d, " shared");
		else if (dlang_peek(d) == 'N' && dlang_peek_at(d, 1) == 'g') {
			d->at += 2;
			put(d, " inout");
		} else {
			return;
		}
	}
}

/* N and a letter each; Ng, Nh, Nk and Nn belong to the first parameter. */
static void attributes(struct dlang *d)
{
	static const struct {
		char code;
		const char *text;
	} known[] = {
		{ 'a', " pure" },      { 'b', " nothrow" },  { 'c', " ref" },
		{ 'd', " @property" }, { 'e', " @trusted" }, { 'f', " @safe" },
		{ 'i', " @nogc" },     { 'j', " return" },   { 'l', " scope" },
		{ 'm', " @live" },
	};

	while (dlang_peek(d) == 'N' && !d->failed) {
		uint8_t code = dlang_peek_at(d, 1);
		size_t i = 0;

		if (code && strchr("ghkn", code))
			return;
		while (i < sizeof(known) / sizeof(known[0]) &&
		       known[i].code != code)
			i++;
		if (i == sizeof(known) / sizeof(known[0])) {
			dlang_fail(d);
			return;
		}
		put(d, known[i].text);
		d->at += 2;
	}
}

static void param(struct dlang *d)
{
	for (;;) {
		if (dlang_eat(d, 'M'))
			put(d, "scope ");
		else if (dlang_peek(d) == 'N' && dlang_peek_at(d, 1) == 'k') {
			d->at += 2;
			put(d, "return ");
		} else {
			break;
		}
	}
	if (dlang_eat(d, 'I'))
		put(d, dlang_eat(d, 'K') ? "in ref " : "in ");
	else if (dlang_eat(d, 'J'))
		put(d, "out ");
	else if (dlang_eat(d, 'K'))
		put(d, "ref ");
	else if (dlang_eat(d, 'L'))
		put(d, "lazy ");
	dlang_type(d);
}

/* <param>* (X | Y | Z); X: the last is variadic, Y: more may follow. */
static void params(struct dlang *d)
{
	bool first = true;

	put(d, "(");
	for (; !d->failed; first = false) {
		if (dlang_eat(d, 'Z'))
			break;
		if (dlang_eat(d, 'X')) {
			put(d, "...");
			break;
		}
		if (!first)
			put(d, ", ");
		if (dlang_eat(d, 'Y')) {
			put(d, "...");
			break;
		}
		param(d);
	}
	put(d, ")");
}

static void convention(struct dlang *d)
{
	static const char *const names[] = {
		['F'] = "",
		['U'] = "extern(C) ",
		['W'] = "extern(Windows) ",
		['V'] = "extern(Pascal) ",
		['R'] = "extern(C++) ",
		['Y'] = "extern(Objective-C) ",
	};

	if (!at_function(d)) {
		dlang_fail(d);
		return;
	}
	put(d, names[dlang_peek(d)]);
	d->at++;
}

/* Written as: convention, result, parameters, attributes. */
static void function_type(struct dlang *d)
{
	size_t start;
	size_t middle;
	size_t end;
	char *at;

	convention(d);
	start = d->out->used;
	attributes(d);
	middle = d->out->used;
	params(d);
	end = d->out->used;
	dlang_type(d);
	if (d->failed || d->out->failed)
		return;
	/* Turn three parts around. */
	at = d->out->at;
	reverse(at + start, at + middle);
	reverse(at + middle, at + end);
	reverse(at + end, at + d->out->used);
	reverse(at + start, at + d->out->used);
}

/* Names. */

static void qualified(struct dlang *d, bool with_modifiers);

/* A symbol that comes next, without its length. */
static void symbol(struct dlang *d)
{
	if (dlang_peek(d) == '_' && dlang_peek_at(d, 1) == 'D')
		dlang_mangled(d);
	else if (at_name(d))
		qualified(d, false);
	else
		dlang_fail(d);
}

/* Reads a symbol whose length is the next digits; whether it is one. */
static bool counted_symbol(struct dlang *d, size_t digits)
{
	struct dlang try = *d;
	size_t used = d->out->used;
	uint32_t len;

	try.name.len = d->at + digits;
	if (dlang_number(&try, &len)) {
		try.name.len = d->name.len;
		symbol(&try);
	}
	d->work = try.work;
	if (try.failed || try.at - d->at != digits + len) {
		d->out->used = used;
		return false;
	}
	d->at = try.at;
	return true;
}

/*
 * S: a symbol.  In older names its length comes first, and then the digits of
 * two numbers stand side by side.
 */
static void symbol_arg(struct dlang *d)
{
	size_t digits = 0;

	while (dlang_is_digit(dlang_peek_at(d, digits)))
		digits++;
	for (; digits > 0; digits--)
		if (counted_symbol(d, digits))
			return;
	symbol(d);
}

/* X: a name from outside, with its length. */
static void external_arg(struct dlang *d)
{
	uint32_t len;

	if (!dlang_number(d, &len) || len > d->name.len - d->at) {
		dlang_fail(d);
		return;
	}
	text_span(d->out, span_of(d->name.at + d->at, len));
	d->at += len;
}

static void template_arg(struct dlang *d)
{
	size_t start = d->out->used;
	uint8_t type;

	(void)dlang_eat(d, 'H'); /* a specialized parameter */
	if (dlang_eat(d, 'S')) {
		symbol_arg(d);
	} else if (dlang_eat(d, 'T')) {
		dlang_type(d);
	} else if (dlang_eat(d, 'X')) {
		external_arg(d);
	} else if (dlang_eat(d, 'V')) {
		type = type_letter(d);
		dlang_type(d);
		if (!d->failed)
			dlang_value(d, type, start);
	} else {
		dlang_fail(d);
	}
}

static void identifier(struct dlang *d);

/* (__T | __U) <name> <arg>* Z, the first three being read. */
static void template_instance(struct dlang *d)
{
	size_t start;
	bool first = true;

	if (!dlang_enter(d))
		return;
	d->at += 3;
	if (!at_name(d))
		dlang_fail(d);
	identifier(d);
	start = d->out->used;
	put(d, "!(");
	for (; !d->failed && !dlang_eat(d, 'Z'); first = false) {
		if (!first)
			put(d, ", ");
		template_arg(d);
	}
	put(d, ")");
	if (d->flags & DEMANGLE_NO_TEMPLATES)
		d->out->used = start;
	d->depth--;
}

/* Names that the compiler makes up. */
static bool special_name(struct dlang *d, struct span id)
{
	static const struct {
		const char *name;
		const char *text;
	} known[] = {
		{ "__ctor", "this" },
		{ "__dtor", "~this" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!span_equal(id, span_text(known[i].name)))
			continue;
		put(d, known[i].text);
		return true;
	}
	if (!span_equal(id, span_text("__postblit")) ||
	    !span_starts(span_of(d->name.at + d->at, d->name.len - d->at),
			 "MFZ"))
		return false;
	put(d, "this(this)"); /* with its parameters */
	d->at += 3;
	return true;
}

/* __S1 and the like only tell things of the same name apart. */
static bool is_fake_parent(struct span id)
{
	if (!span_starts(id, "__S") || id.len < 4)
		return false;
	for (size_t i = 3; i < id.len; i++)
		if (!dlang_is_digit(id.at[i]))
			return false;
	return true;
}

/* <number> <bytes>, which may be a template of old */
static void counted_identifier(struct dlang *d)
{
	struct span id;
	uint32_t len;
	size_t end;

	if (!dlang_number(d, &len) || !len || len > d->name.len - d->at) {
		dlang_fail(d);
		return;
	}
	id = span_of(d->name.at + d->at, len);
	end = d->at + len;
	if (len >= 5 && (span_starts(id, "__T") || span_starts(id, "__U"))) {
		template_instance(d);
		if (d->at != end)
			dlang_fail(d);
		return;
	}
	d->at = end;
	if (is_fake_parent(id) && at_name(d))
		identifier(d);
	else if (!special_name(d, id))
		text_span(d->out, id);
}

static void identifier(struct dlang *d)
{
	size_t after;
	size_t to;

	if (!dlang_enter(d))
		return;
	if (dlang_peek(d) == '_') {
		template_instance(d);
	} else if (dlang_peek(d) != 'Q') {
		counted_identifier(d);
	} else {
		to = read_backref(d);
		after = d->at;
		if (to == SIZE_MAX) {
			dlang_fail(d);
		} else {
			d->at = to;
			counted_identifier(d);
			d->at = after;
		}
	}
	d->depth--;
}

/*
 * The parameters of a function in a qualified name.  If it is not one after
 * all, but the type of a variable, nothing is read or written.
 */
static void function_in_name(struct dlang *d, bool with_modifiers)
{
	struct dlang before = *d;
	size_t start = d->out->used;
	size_t middle;

	if (dlang_eat(d, 'M'))
		modifiers(d);
	if (!with_modifiers)
		d->out->used = start;
	middle = d->out->used;
	convention(d);
	d->out->used = middle;
	attributes(d);
	d->out->used = middle;
	params(d);
	if (d->failed || d->at == d->name.len) {
		before.work = d->work;
		*d = before;
		d->out->used = start;
		return;
	}
	swap_parts(d, start, middle);
	if (d->flags & DEMANGLE_NO_PARAMS)
		d->out->used = start;
}

static void qualified(struct dlang *d, bool with_modifiers)
{
	bool first = true;

	if (!dlang_enter(d))
		return;
	do {
		/* Zeros stand for scopes without a name. */
		while (dlang_eat(d, '0'))
			;
		if (!first)
			put(d, ".");
		first = false;
		identifier(d);
		if (!d->failed && (dlang_peek(d) == 'M' || at_function(d)))
			function_in_name(d, with_modifiers);
	} while (!d->failed && at_name(d));
	d->depth--;
}

/* What the compiler makes for a type: "vtable for X" for X.__vtbl. */
static void name_artificial(struct dlang *d, size_t start)
{
	static const struct {
		const char *suffix;
		const char *prefix;
	} known[] = {
		{ ".__init", "initializer for " },
		{ ".__vtbl", "vtable for " },
		{ ".__Class", "ClassInfo for " },
		{ ".__Interface", "Interface for " },
		{ ".__ModuleInfo", "ModuleInfo for " },
	};
	struct span text = span_of(d->out->at + start, d->out->used - start);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i].suffix);
		size_t middle;

		if (text.len <= len ||
		    memcmp(text.at + text.len - len, known[i].suffix, len) != 0)
			continue;
		d->out->used -= len;
		middle = d->out->used;
		put(d, known[i].prefix);
		swap_parts(d, start, middle);
		return;
	}
}

/* _D <qualified name> (Z | <type>); the type is not shown. */
void dlang_mangled(struct dlang *d)
{
	size_t start = d->out->used;
	size_t end;

	if (dlang_peek(d) != '_' || dlang_peek_at(d, 1) != 'D') {
		dlang_fail(d);
		return;
	}
	d->at += 2;
	if (!at_name(d)) {
		dlang_fail(d);
		return;
	}
	qualified(d, true);
	if (d->failed)
		return;
	if (dlang_eat(d, 'Z')) {
		name_artificial(d, start);
		return;
	}
	end = d->out->used;
	dlang_type(d);
	d->out->used = end;
}

/* Types. */

static const char *const basic_types[26] = {
	"char",	 "bool",	 "creal",  "double",  "real",	"float",
	"byte",	 "ubyte",	 "int",	   "ireal",   "uint",	"long",
	"ulong", "typeof(null)", "ifloat", "idouble", "cfloat", "cdouble",
	"short", "ushort",	 "wchar",  "void",    "dchar",
};

static void type_in(struct dlang *d, const char *before)
{
	put(d, before);
	dlang_type(d);
	put(d, ")");
}

static void n_type(struct dlang *d)
{
	uint8_t code = dlang_peek(d);

	d->at++;
	if (code == 'g')
		type_in(d, "inout(");
	else if (code == 'h')
		type_in(d, "__vector(");
	else if (code == 'n')
		put(d, "typeof(*null)");
	else
		dlang_fail(d);
}

/* G <number> <type> */
static void static_array(struct dlang *d)
{
	struct span digits = { .at = d->name.at + d->at };

	while (dlang_is_digit(dlang_peek(d))) {
		d->at++;
		digits.len++;
	}
	dlang_type(d);
	put(d, "[");
	text_span(d->out, digits);
	put(d, "]");
}

/* H <key type> <type> */
static void associative_array(struct dlang *d)
{
	size_t start = d->out->used;
	size_t middle;

	put(d, "[");
	dlang_type(d);
	put(d, "]");
	middle = d->out->used;
	dlang_type(d);
	swap_parts(d, start, middle);
}

static void pointer(struct dlang *d)
{
	if (at_function(d)) {
		function_type(d);
		put(d, " function");
		return;
	}
	dlang_type(d);
	put(d, "*");
}

/* D [<modifiers>] (<function type> | <backref>) */
static void delegate(struct dlang *d)
{
	size_t start = d->out->used;
	size_t middle;

	modifiers(d);
	middle = d->out->used;
	if (dlang_peek(d) == 'Q')
		dlang_type(d);
	else
		function_type(d);
	/* A function type by itself says that it is one. */
	if (!d->failed && !d->out->failed && d->out->used - middle > 9 &&
	    !memcmp(d->out->at + d->out->used - 9, " function", 9))
		d->out->used -= 9;
	put(d, " delegate");
	swap_parts(d, start, middle);
}

static void tuple(struct dlang *d)
{
	uint32_t count;

	if (!dlang_number(d, &count))
		return;
	put(d, "Tuple!(");
	for (uint32_t i = 0; i < count && !d->failed; i++) {
		if (i)
			put(d, ", ");
		dlang_type(d);
	}
	put(d, ")");
}

static void type_backref(struct dlang *d)
{
	size_t start = d->at;
	size_t outer = d->backref;
	size_t to = read_backref(d);
	size_t after = d->at;

	/* A reference inside what is referred to must go further back. */
	if (to == SIZE_MAX || start >= outer) {
		dlang_fail(d);
		return;
	}
	d->backref = start;
	d->at = to;
	dlang_type(d);
	d->at = after;
	d->backref = outer;
}

static void compound_type(struct dlang *d, uint8_t code)
{
	switch (code) {
	case 'A':
		dlang_type(d);
		put(d, "[]");
		break;
	case 'B':
		tuple(d);
		break;
	case 'C':
	case 'E':
	case 'S':
	case 'T':
		qualified(d, false);
		break;
	case 'D':
		delegate(d);
		break;
	case 'G':
		static_array(d);
		break;
	case 'H':
		associative_array(d);
		break;
	case 'N':
		n_type(d);
		break;
	case 'O':
		type_in(d, "shared(");
		break;
	case 'P':
		pointer(d);
		break;
	default:
		dlang_fail(d);
		break;
	}
}

static void letter_type(struct dlang *d, uint8_t code)
{
	if (code == 'x')
		type_in(d, "const(");
	else if (code == 'y')
		type_in(d, "immutable(");
	else if (code == 'z' && dlang_eat(d, 'i'))
		put(d, "cent");
	else if (code == 'z' && dlang_eat(d, 'k'))
		put(d, "ucent");
	else if (code >= 'a' && code <= 'z' && basic_types[code - 'a'])
		put(d, basic_types[code - 'a']);
	else
		dlang_fail(d);
}

void dlang_type(struct dlang *d)
{
	uint8_t code = dlang_peek(d);

	if (!dlang_enter(d))
		return;
	if (at_function(d)) {
		function_type(d);
		put(d, " function");
	} else if (code == 'Q') {
		type_backref(d);
	} else {
		d->at++;
		if (code >= 'a')
			letter_type(d, code);
		else
			compound_type(d, code);
	}
	d->depth--;
}

bool dlang_demangle(struct span name, unsigned flags, struct text *out)
{
	struct dlang d = {
		.name = name,
		.backref = name.len,
		.flags = flags,
		.out = out,
	};

	if (span_equal(name, span_text("_Dmain"))) {
		text_put(out, "D main");
		return true;
	}
	if (!span_starts(name, "_D"))
		return false;
	dlang_mangled(&d);
	return !d.failed && !out->failed && d.at == name.len && out->used > 0;
}
