/* SPDX-License-Identifier: MIT */
/*
 * Rust's names in the v0 scheme.  They are read and written in one pass, since
 * no lookahead is needed; a back reference goes back in the name and reads that
 * part again.
 */
#include "symbol/mangling.h"

#include "symbol/demangle.h"

enum {
	DEPTH_MAX = 1000,
	WORK_MAX = 1000000,
};

struct rust {
	struct span whole; /* after the _R */
	size_t at;
	size_t end;	/* a back reference sees only what comes before it */
	int64_t bound;	/* lifetimes bound so far */
	unsigned quiet; /* not 0: read, but do not write */
	unsigned depth;
	uint32_t work;
	unsigned flags;
	bool failed;
	struct text *out;
	struct scratch *scratch;
};

static void fail(struct rust *r)
{
	r->failed = true;
}

static bool enter(struct rust *r)
{
	if (r->failed || ++r->depth > DEPTH_MAX || ++r->work > WORK_MAX)
		fail(r);
	return !r->failed;
}

static size_t left(const struct rust *r)
{
	return r->end - r->at;
}

static uint8_t peek(const struct rust *r)
{
	return r->at < r->end ? r->whole.at[r->at] : 0;
}

static uint8_t next(struct rust *r)
{
	if (r->at == r->end) {
		fail(r);
		return 0;
	}
	return r->whole.at[r->at++];
}

static bool eat(struct rust *r, uint8_t c)
{
	if (r->failed || !left(r) || peek(r) != c)
		return false;
	r->at++;
	return true;
}

static void expect(struct rust *r, uint8_t c)
{
	if (!eat(r, c))
		fail(r);
}

static void put(struct rust *r, const char *s)
{
	if (!r->quiet && !r->failed)
		text_put(r->out, s);
}

static void put_span(struct rust *r, struct span s)
{
	if (!r->quiet && !r->failed)
		text_span(r->out, s);
}

static void put_char(struct rust *r, char c)
{
	if (!r->quiet && !r->failed)
		text_char(r->out, c);
}

/* Writes a number; pprof takes any number to end in 0. */
static void put_number(struct rust *r, uint64_t n)
{
	if (r->quiet || r->failed)
		return;
	text_number(r->out, n);
	r->out->last = '0';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_lower(uint8_t c)
{
	return c >= 'a' && c <= 'z';
}

/* {<0-9a-zA-Z>} "_"; nothing but "_" is 0, "0_" is 1.  Overflow wraps. */
static int64_t base62(struct rust *r)
{
	uint64_t value = 0;

	if (eat(r, '_'))
		return 0;
	while (!r->failed) {
		uint8_t c = next(r);

		if (c == '_')
			return (int64_t)(value + 1);
		value *= 62;
		if (is_digit(c))
			value += c - '0';
		else if (is_lower(c))
			value += c - 'a' + 10u;
		else if (is_upper(c))
			value += c - 'A' + 36u;
		else
			fail(r);
	}
	return 0;
}

static int64_t disambiguator(struct rust *r)
{
	return eat(r, 's') ? (int64_t)((uint64_t)base62(r) + 1) : 0;
}

static size_t decimal(struct rust *r)
{
	int32_t value = 0;

	if (!left(r))
		fail(r);
	while (!r->failed && is_digit(peek(r))) {
		int32_t digit = next(r) - '0';

		if (value >= INT32_MAX / 10 - digit) {
			fail(r);
			return 0;
		}
		value = value * 10 + digit;
	}
	return (size_t)value;
}

struct identifier {
	struct span bytes;
	bool punycode;
};

/* ["u"] <decimal> ["_"] <bytes> */
static struct identifier identifier(struct rust *r)
{
	struct identifier id = { .punycode = eat(r, 'u') };
	size_t len = decimal(r);

	(void)eat(r, '_');
	if (r->failed || len > left(r)) {
		fail(r);
		return id;
	}
	id.bytes = span_of(r->whole.at + r->at, len);
	r->at += len;
	for (size_t i = 0; i < len; i++) {
		uint8_t c = id.bytes.at[i];

		if (!is_digit(c) && !is_upper(c) && !is_lower(c) && c != '_')
			fail(r);
	}
	return id;
}

/* Punycode (RFC 3492) with "_" before the deltas and digits in any case. */
struct punycode {
	struct span deltas;
	uint32_t *runes;
	size_t count;
	int64_t bias;
};

static int punycode_digit(uint8_t c)
{
	if (is_digit(c))
		return c - '0' + 26;
	if (is_lower(c))
		return c - 'a';
	return is_upper(c) ? c - 'A' : -1;
}

/* Adds a number of variable length to i; negative: malformed. */
static int64_t punycode_delta(struct punycode *p, int64_t i)
{
	int64_t weight = 1;

	for (int64_t k = 36;; k += 36) {
		int64_t t = k <= p->bias       ? 1
			    : k > p->bias + 26 ? 26
					       : k - p->bias;
		int digit = p->deltas.len ? punycode_digit(p->deltas.at[0])
					  : -1;

		if (digit < 0)
			return -1;
		p->deltas = span_of(p->deltas.at + 1, p->deltas.len - 1);
		i += digit * weight;
		if (digit < t)
			return i;
		if (weight >= INT32_MAX / 36)
			return -1;
		weight *= 36 - t;
	}
}

static void punycode_adapt(struct punycode *p, int64_t delta, bool first)
{
	int64_t k = 0;

	delta /= first ? 700 : 2;
	delta += delta / (int64_t)(p->count + 1);
	for (; delta > 35 * 26 / 2; k += 36)
		delta /= 35;
	p->bias = k + 36 * delta / (delta + 38);
}

/* Decodes all deltas; false: malformed. */
static bool punycode_run(struct punycode *p)
{
	int64_t i = 0;
	int64_t rune = 128;

	while (p->deltas.len) {
		int64_t before = i;

		i = punycode_delta(p, i);
		if (i < 0)
			return false;
		punycode_adapt(p, i - before, before == 0);
		p->count++;
		rune += i / (int64_t)p->count;
		i %= (int64_t)p->count;
		if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000))
			return false;
		memmove(p->runes + i + 1, p->runes + i,
			(p->count - 1 - (size_t)i) * sizeof(*p->runes));
		p->runes[i++] = (uint32_t)rune;
	}
	return true;
}

static bool put_punycode(struct rust *r, struct span s)
{
	struct punycode p = { .deltas = s, .bias = 72 };
	size_t plain = s.len;

	while (plain && s.at[plain - 1] != '_')
		plain--;
	/* Each delta makes one character, so there are no more than bytes. */
	p.runes = scratch_alloc(r->scratch, (s.len + 1) * sizeof(*p.runes));
	if (!p.runes)
		return false;
	if (plain) {
		for (; p.count < plain - 1; p.count++)
			p.runes[p.count] = s.at[p.count];
		p.deltas = span_part(s, plain, s.len - plain);
	}
	if (!punycode_run(&p))
		return false;
	for (size_t i = 0; i < p.count && !r->quiet; i++)
		text_rune(r->out, p.runes[i]);
	return true;
}

static void put_identifier(struct rust *r, struct identifier id)
{
	if (r->failed)
		return;
	if (!id.punycode)
		put_span(r, id.bytes);
	else if (!put_punycode(r, id.bytes))
		fail(r);
}

static void put_lifetime(struct rust *r, int64_t lifetime)
{
	int64_t depth = (int64_t)((uint64_t)r->bound - (uint64_t)lifetime);

	put_char(r, '\'');
	if (!lifetime) {
		put_char(r, '_');
	} else if (depth < 0) {
		fail(r);
	} else if (depth < 26) {
		put_char(r, (char)('a' + depth));
	} else {
		put_char(r, 'z');
		put_number(r, (uint64_t)depth - 25);
	}
}

/* Where to go on after a back reference. */
struct place {
	size_t at;
	size_t end;
};

/* Goes back to what a "B" refers to; false: it is not to be read. */
static bool go_back(struct rust *r, struct place *ret)
{
	size_t start = r->at;
	int64_t target;

	r->at++;
	target = base62(r);
	if (r->failed || r->quiet)
		return false;
	if (target < 0 || (uint64_t)target >= start) {
		fail(r);
		return false;
	}
	*ret = (struct place){ .at = r->at, .end = r->end };
	r->at = (size_t)target;
	r->end = start;
	return true;
}

static void go_on(struct rust *r, struct place from)
{
	r->at = from.at;
	r->end = from.end;
}

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);

/* "G" <base-62>: lifetimes that the rest of the type binds. */
static void binder(struct rust *r)
{
	int64_t count;

	if (!eat(r, 'G'))
		return;
	count = (int64_t)((uint64_t)base62(r) + 1);
	/* Each is used later, so there can not be more than bytes. */
	if (r->failed || count >= (int64_t)left(r) - r->bound) {
		fail(r);
		return;
	}
	put(r, "for<");
	for (int64_t i = 0; i < count && !r->failed; i++) {
		if (i)
			put(r, ", ");
		r->bound++;
		put_lifetime(r, 1);
	}
	put(r, "> ");
}

enum constant {
	CONSTANT_SIGNED,
	CONSTANT_UNSIGNED,
	CONSTANT_BOOL,
	CONSTANT_CHAR,
};

static enum constant constant_kind(struct rust *r, uint8_t type)
{
	if (type && strchr("aslxni", type))
		return CONSTANT_SIGNED;
	if (type == 'b')
		return CONSTANT_BOOL;
	if (type == 'c')
		return CONSTANT_CHAR;
	if (!type || !strchr("htmyoj", type))
		fail(r);
	return CONSTANT_UNSIGNED;
}

/* {<hex-digit>} "_", without needless zeros; *ret_value wraps. */
static struct span hex_digits(struct rust *r, uint64_t *ret_value)
{
	struct span digits = span_of(r->whole.at + r->at, 0);
	uint64_t value = 0;

	while (!r->failed && left(r)) {
		uint8_t c = next(r);

		if (c == '_')
			break;
		if (!is_digit(c) && (c < 'a' || c > 'f')) {
			fail(r);
			break;
		}
		if (!value && c == '0' && peek(r) != '_')
			fail(r);
		value = value * 16 + c - (is_digit(c) ? '0' : 'a' - 10);
		digits.len++;
	}
	if (!digits.len)
		fail(r);
	*ret_value = value;
	return digits;
}

static void put_hex(struct rust *r, uint64_t value)
{
	char digits[16];
	size_t i = sizeof(digits);

	do
		digits[--i] = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	put_span(r, span_of(digits + i, sizeof(digits) - i));
}

static void put_character(struct rust *r, uint64_t c)
{
	put_char(r, '\'');
	if (c == '\t') {
		put(r, "\\t");
	} else if (c == '\r') {
		put(r, "\\r");
	} else if (c == '\n') {
		put(r, "\\n");
	} else if (c == '\\' || c == '\'') {
		put_char(r, '\\');
		put_char(r, (char)c);
	} else if (c >= ' ' && c <= '~') {
		put_char(r, (char)c);
	} else {
		put(r, "\\u{");
		put_hex(r, c);
		put(r, "}");
	}
	put_char(r, '\'');
}

/* <type> ["n"] {<hex-digit>} "_" */
static void typed_constant(struct rust *r)
{
	enum constant kind;
	struct span digits;
	uint64_t value;

	kind = constant_kind(r, next(r));
	if (kind == CONSTANT_SIGNED && eat(r, 'n'))
		put(r, "-");
	digits = hex_digits(r, &value);
	if (r->failed)
		return;
	if (kind == CONSTANT_BOOL && (digits.len > 1 || value > 1)) {
		fail(r);
	} else if (kind == CONSTANT_BOOL) {
		put(r, value ? "true" : "false");
	} else if (kind == CONSTANT_CHAR && digits.len > 6) {
		fail(r);
	} else if (kind == CONSTANT_CHAR) {
		put_character(r, value);
	} else if (digits.len > 16) {
		put(r, "0x");
		put_span(r, digits);
	} else {
		put_number(r, value);
	}
}

/* <typed-constant> | "p" | <backref> */
static void constant(struct rust *r)
{
	struct place from;

	if (!enter(r))
		return;
	if (eat(r, 'p')) {
		put(r, "_");
	} else if (peek(r) != 'B') {
		typed_constant(r);
	} else if (go_back(r, &from)) {
		constant(r);
		go_on(r, from);
	}
	r->depth--;
}

static void generic_arg(struct rust *r)
{
	if (eat(r, 'L'))
		put_lifetime(r, base62(r));
	else if (eat(r, 'K'))
		constant(r);
	else
		type(r);
}

/* Generic arguments up to the "E", which stays. */
static void generic_args(struct rust *r)
{
	bool first = true;

	if (r->flags & DEMANGLE_NO_TEMPLATES)
		r->quiet++;
	while (!r->failed && left(r) && peek(r) != 'E') {
		if (!first)
			put(r, ", ");
		first = false;
		generic_arg(r);
	}
	if (r->flags & DEMANGLE_NO_TEMPLATES)
		r->quiet--;
}

/* "I" <path> {<generic-arg>} "E" */
static void generic_path(struct rust *r, bool in_value)
{
	bool bare = (r->flags & DEMANGLE_BARE) != 0;

	r->at++;
	path(r, in_value);
	if (in_value && !bare)
		put(r, "::");
	put(r, bare ? "" : "<");
	generic_args(r);
	put(r, bare ? "" : ">");
	expect(r, 'E');
}

/* "M" and "X": [<disambiguator>] <path>, where the impl is; not shown. */
static void impl_path(struct rust *r)
{
	r->quiet++;
	(void)disambiguator(r);
	path(r, false);
	r->quiet--;
}

/* "M" <impl-path> <type> | "X" <impl-path> <type> <path> | "Y" <type> <path> */
static void type_path(struct rust *r)
{
	uint8_t kind = next(r);

	if (kind != 'Y')
		impl_path(r);
	put(r, "<");
	type(r);
	if (kind != 'M') {
		put(r, " as ");
		path(r, false);
	}
	put(r, ">");
}

/* "N" <namespace> <path> <identifier>; capitals are not written as paths. */
static void nested_path(struct rust *r, bool in_value)
{
	uint8_t namespace;
	int64_t number;
	struct identifier id;

	r->at++;
	namespace = next(r);
	if (!is_lower(namespace) && !is_upper(namespace))
		fail(r);
	path(r, in_value);
	number = disambiguator(r);
	id = identifier(r);
	if (is_lower(namespace)) {
		put(r, "::");
		put_identifier(r, id);
		return;
	}
	put(r, "::{");
	if (namespace == 'C')
		put(r, "closure");
	else if (namespace == 'S')
		put(r, "shim");
	else
		put_char(r, (char)namespace);
	if (id.bytes.len)
		put(r, ":");
	put_identifier(r, id);
	put(r, "#");
	if (number < 0)
		put(r, "-");
	put_number(r, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
	put(r, "}");
}

/* in_value: generic arguments need a "::" before them. */
static void path(struct rust *r, bool in_value)
{
	struct place from;

	if (!enter(r))
		return;
	switch (peek(r)) {
	case 'C':
		r->at++;
		(void)disambiguator(r);
		put_identifier(r, identifier(r));
		break;
	case 'M':
	case 'X':
	case 'Y':
		type_path(r);
		break;
	case 'N':
		nested_path(r, in_value);
		break;
	case 'I':
		generic_path(r, in_value);
		break;
	case 'B':
		if (go_back(r, &from)) {
			path(r, in_value);
			go_on(r, from);
		}
		break;
	default:
		fail(r);
		break;
	}
	r->depth--;
}

/* ["U"] ["K" <abi>] */
static void fn_qualifiers(struct rust *r)
{
	struct identifier abi;

	if (eat(r, 'U'))
		put(r, "unsafe ");
	if (!eat(r, 'K'))
		return;
	if (eat(r, 'C')) {
		put(r, "extern \"C\" ");
		return;
	}
	put(r, "extern \"");
	abi = identifier(r);
	if (abi.punycode)
		fail(r);
	for (size_t i = 0; i < abi.bytes.len && !r->failed; i++)
		put_char(r,
			 abi.bytes.at[i] == '_' ? '-' : (char)abi.bytes.at[i]);
	put(r, "\" ");
}

/* [<binder>] <qualifiers> {<type>} "E" <type> */
static void fn_type(struct rust *r)
{
	bool first = true;

	binder(r);
	fn_qualifiers(r);
	put(r, "fn(");
	while (!r->failed && left(r) && peek(r) != 'E') {
		if (!first)
			put(r, ", ");
		first = false;
		type(r);
	}
	expect(r, 'E');
	put(r, ")");
	if (eat(r, 'u'))
		return;
	put(r, " -> ");
	type(r);
}

/* As path(), but generic arguments are left open; whether there are any. */
static bool open_path(struct rust *r)
{
	bool bare = (r->flags & DEMANGLE_BARE) != 0;
	bool open = false;
	struct place from;

	if (!enter(r))
		return false;
	if (peek(r) == 'I') {
		r->at++;
		path(r, false);
		put(r, bare ? "" : "<");
		generic_args(r);
		expect(r, 'E');
		open = !bare;
	} else if (peek(r) != 'B') {
		path(r, false);
	} else if (go_back(r, &from)) {
		open = open_path(r);
		go_on(r, from);
	}
	r->depth--;
	return open;
}

/* <path> {"p" <identifier> <type>} */
static void dyn_trait(struct rust *r)
{
	bool open = open_path(r);

	while (eat(r, 'p')) {
		put(r, open ? ", " : "<");
		open = true;
		put_identifier(r, identifier(r));
		put(r, " = ");
		type(r);
	}
	if (open)
		put(r, ">");
}

/* [<binder>] {<dyn-trait>} "E" "L" <base-62> */
static void dyn_type(struct rust *r)
{
	int64_t bound = r->bound;
	int64_t lifetime;
	bool first = true;

	put(r, "dyn ");
	binder(r);
	while (!r->failed && left(r) && peek(r) != 'E') {
		if (!first)
			put(r, " + ");
		first = false;
		dyn_trait(r);
	}
	expect(r, 'E');
	r->bound = bound;
	expect(r, 'L');
	lifetime = base62(r);
	if (r->failed || lifetime <= 0)
		return;
	if (r->out->last != ' ')
		put(r, " ");
	put(r, "+ ");
	put_lifetime(r, lifetime);
}

/* "R" | "Q", [<lifetime>], <type> */
static void reference(struct rust *r)
{
	bool mutable = next(r) == 'Q';

	put(r, "&");
	if (eat(r, 'L')) {
		int64_t lifetime = base62(r);

		if (lifetime > 0) {
			put_lifetime(r, lifetime);
			put(r, " ");
		}
	}
	if (mutable)
		put(r, "mut ");
	type(r);
}

static void tuple(struct rust *r)
{
	unsigned count = 0;

	r->at++;
	put(r, "(");
	while (!r->failed && left(r) && peek(r) != 'E') {
		if (count++)
			put(r, ", ");
		type(r);
	}
	put(r, count == 1 ? ",)" : ")");
	expect(r, 'E');
}

/* "A" <type> <const> | "S" <type> */
static void array(struct rust *r)
{
	bool sized = next(r) == 'A';

	put(r, "[");
	type(r);
	if (sized) {
		put(r, "; ");
		constant(r);
	}
	put(r, "]");
}

static void basic_type(struct rust *r)
{
	static const char *const names[26] = {
		"i8",	"bool",	 "char",  "f64", "str", "f32", NULL,
		"u8",	"isize", "usize", NULL,	 "i32", "u32", "i128",
		"u128", "_",	 NULL,	  NULL,	 "i16", "u16", "()",
		"...",	NULL,	 "i64",	  "u64", "!",
	};
	const char *name = names[next(r) - 'a'];

	if (name)
		put(r, name);
	else
		fail(r);
}

static void compound_type(struct rust *r)
{
	int64_t bound = r->bound;
	struct place from;

	switch (peek(r)) {
	case 'A':
	case 'S':
		array(r);
		break;
	case 'T':
		tuple(r);
		break;
	case 'R':
	case 'Q':
		reference(r);
		break;
	case 'P':
	case 'O':
		put(r, next(r) == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F':
		r->at++;
		fn_type(r);
		r->bound = bound;
		break;
	case 'D':
		r->at++;
		dyn_type(r);
		break;
	case 'B':
		if (go_back(r, &from)) {
			type(r);
			go_on(r, from);
		}
		break;
	default:
		fail(r);
		break;
	}
}

static void type(struct rust *r)
{
	if (!enter(r))
		return;
	if (is_lower(peek(r)))
		basic_type(r);
	else if (peek(r) && strchr("CMXYNI", peek(r)))
		path(r, false);
	else
		compound_type(r);
	r->depth--;
}

bool rust_demangle(struct scratch *scratch, struct span name, unsigned flags,
		   struct text *out)
{
	const uint8_t *dot = memchr(name.at, '.', name.len);
	struct rust r = { .flags = flags, .scratch = scratch, .out = out };

	if (!span_starts(name, "_R"))
		return false;
	if (dot) /* what the compiler adds to clones */
		name.len = (size_t)(dot - name.at);
	r.whole = span_part(name, 2, name.len - 2);
	r.end = r.whole.len;
	if (!left(&r) || is_digit(peek(&r)))
		return false;
	path(&r, true);
	if (left(&r) && !r.failed) { /* the instantiating crate: not shown */
		r.quiet++;
		path(&r, false);
	}
	return !r.failed && !out->failed && !left(&r);
}
