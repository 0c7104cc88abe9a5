/* SPDX-License-Identifier: MIT */
/*
 * Sets of characters in regular expressions: Perl's and POSIX's groups, which
 * are ASCII to Go and, when case does not matter, the few characters outside
 * that ASCII letters stand for; and Unicode's categories and scripts.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "report/regex_parser.h"

#include <errno.h>
#include <pcre2.h>
#include <string.h>

#include "base/check.h"
#include "base/sink.h"

void rune_write(struct sink *out, uint32_t c)
{
	if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') || c == '_')
		sink_char(out, (char)c);
	else
		sink_format(out, "\\x{%x}", c);
}

void range_write(struct sink *out, uint32_t lo, uint32_t hi)
{
	rune_write(out, lo);
	if (lo == hi)
		return;
	sink_char(out, '-');
	rune_write(out, hi);
}

/* The groups: pairs of the first and the last character of each range. */
static const struct {
	const char *name;
	const char *ranges;
} ascii_groups[] = {
	{ "\\d", "09" },
	{ "\\s", "\t\n\f\r  " },
	{ "\\w", "09AZaz__" },
	{ "[:alnum:]", "09AZaz" },
	{ "[:alpha:]", "AZaz" },
	{ "[:ascii:]", NULL }, /* all of them */
	{ "[:blank:]", "\t\t  " },
	{ "[:cntrl:]", "\001\037\177\177" }, /* and NUL */
	{ "[:digit:]", "09" },
	{ "[:graph:]", "!~" },
	{ "[:lower:]", "az" },
	{ "[:print:]", " ~" },
	{ "[:punct:]", "!/:@[`{~" },
	{ "[:space:]", "\t\r  " },
	{ "[:upper:]", "AZ" },
	{ "[:word:]", "09AZaz__" },
	{ "[:xdigit:]", "09AFaf" },
};

static void add(struct ascii_group *g, unsigned lo, unsigned hi)
{
	for (unsigned c = lo; c <= hi; c++)
		g->bits[c / 64] |= (uint64_t)1 << c % 64;
}

static bool has(const struct ascii_group *g, unsigned c)
{
	return c < 128 && (g->bits[c / 64] >> c % 64 & 1);
}

static void add_ranges(struct ascii_group *g, size_t i)
{
	const char *r = ascii_groups[i].ranges;

	if (!r)
		add(g, 0, 127);
	for (; r && *r; r += 2)
		add(g, (unsigned char)r[0], (unsigned char)r[1]);
	if (!strcmp(ascii_groups[i].name, "[:cntrl:]"))
		add(g, 0, 0);
}

/* Whether name is that of group i or, with a capital or a '^', of its
 * complement. */
static bool is_called(struct span name, size_t i, bool *ret_negated)
{
	const char *known = ascii_groups[i].name;
	char plain[16];

	*ret_negated = false;
	if (span_equal(name, span_text(known)))
		return true;
	*ret_negated = true;
	if (known[0] == '\\')
		return name.len == 2 && name.at[0] == '\\' &&
		       name.at[1] == (uint8_t)(known[1] - 'a' + 'A');
	if (!span_starts(name, "[:^") || name.len > sizeof(plain))
		return false;
	memcpy(plain, "[:", 2);
	memcpy(plain + 2, name.at + 3, name.len - 3);
	return span_equal(span_of(plain, name.len - 1), span_text(known));
}

bool ascii_group_find(struct span name, struct ascii_group *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(ascii_groups); i++) {
		*ret = (struct ascii_group){ 0 };
		if (is_called(name, i, &ret->negated)) {
			add_ranges(ret, i);
			return true;
		}
	}
	return false;
}

/* Beyond ASCII these two are letters to Go when case does not matter. */
enum { LONG_S = 0x17f, KELVIN = 0x212a };

static void add_other_case(struct ascii_group *g)
{
	for (unsigned c = 'A'; c <= 'Z'; c++) {
		unsigned lower = c - 'A' + 'a';

		if (has(g, c) || has(g, lower)) {
			add(g, c, c);
			add(g, lower, lower);
		}
	}
}

/* All but ASCII, less the two if the group has them. */
static void write_non_ascii(struct sink *out, bool without_s, bool without_k)
{
	uint32_t from = 0x80;

	if (without_s) {
		range_write(out, from, LONG_S - 1);
		from = LONG_S + 1;
	}
	if (without_k) {
		range_write(out, from, KELVIN - 1);
		from = KELVIN + 1;
	}
	range_write(out, from, RUNE_MAX);
}

void ascii_group_write(struct sink *out, struct ascii_group g, bool fold)
{
	bool s;
	bool k;

	if (fold)
		add_other_case(&g);
	s = fold && has(&g, 's');
	k = fold && has(&g, 'k');
	for (unsigned c = 0; c < 128; c++) {
		unsigned last = c;

		if (has(&g, c) == g.negated)
			continue;
		while (last < 127 && has(&g, last + 1) != g.negated)
			last++;
		range_write(out, c, last);
		c = last;
	}
	if (g.negated) {
		write_non_ascii(out, s, k);
	} else {
		if (s)
			rune_write(out, LONG_S);
		if (k)
			rune_write(out, KELVIN);
	}
}

static const char categories[] =
	" Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No "
	"P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs ";

/* Those of Unicode 14, which is as far as Debian 12's PCRE2 goes. */
static const char scripts[] =
	" "
	"Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan "
	"Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo "
	"Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian "
	"Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common "
	"Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret "
	"Devanagari Dives_Akuru Dogra Duployan "
	"Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian "
	"Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi "
	"Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew "
	"Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi "
	"Inscriptional_Parthian Javanese Kaithi Kannada Katakana "
	"Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki "
	"Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu "
	"Lycian Lydian Mahajani Makasar Malayalam Mandaic "
	"Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek "
	"Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao "
	"Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari "
	"New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham "
	"Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian "
	"Old_Permic Old_Persian Old_Sogdian Old_South_Arabian "
	"Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong "
	"Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi "
	"Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham "
	"SignWriting Sinhala Sogdian Sora_Sompeng Soyombo "
	"Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le "
	"Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana "
	"Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi "
	"Wancho Warang_Citi Yezidi Yi Zanabazar_Square ";

/* Whether the list has the name, which has no spaces in it. */
static bool is_listed(const char *list, struct span name)
{
	for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == name.len &&
		    !memcmp(at, name.at, name.len))
			return name.len > 0;
	return false;
}

bool unicode_group_known(struct span name)
{
	return is_listed(categories, name) || is_listed(scripts, name);
}

/* As PCRE2 writes it: scripts proper, and C without what is unassigned. */
static void write_group(struct sink *out, struct span name, bool negated)
{
	if (is_listed(scripts, name))
		sink_format(out, "\\%c{sc:%.*s}", negated ? 'P' : 'p',
			    (int)name.len, (const char *)name.at);
	else if (!span_equal(name, span_text("C")))
		sink_format(out, "\\%c{%.*s}", negated ? 'P' : 'p',
			    (int)name.len, (const char *)name.at);
	else if (negated)
		sink_text(out, "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}"
			       "\\p{Cn}");
	else
		sink_text(out, "\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}");
}

struct range {
	uint32_t lo;
	uint32_t hi;
};

typedef VEC(struct range) ranges;

/* Writes a character as UTF-8; returns where the next one goes. */
static uint8_t *put_rune(uint8_t *at, uint32_t c)
{
	if (c < 0x80) {
		*at++ = (uint8_t)c;
		return at;
	}
	if (c < 0x800) {
		*at++ = (uint8_t)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*at++ = (uint8_t)(0xe0 | c >> 12);
		} else {
			*at++ = (uint8_t)(0xf0 | c >> 18);
			*at++ = (uint8_t)(0x80 | (c >> 12 & 63));
		}
		*at++ = (uint8_t)(0x80 | (c >> 6 & 63));
	}
	*at++ = (uint8_t)(0x80 | (c & 63));
	return at;
}

/* Everything there is but surrogates, which no text has. */
static const struct range everything[] = {
	{ 0, 0xd7ff },
	{ 0xe000, RUNE_MAX },
};

/* Everything that has another case, and a few that have none. */
static const struct range cased[] = {
	{ 0x41, 0x587 },      { 0x10a0, 0x10ff },   { 0x13a0, 0x13fd },
	{ 0x1c80, 0x1cbf },   { 0x1d79, 0x1d8e },   { 0x1e00, 0x1fff },
	{ 0x2126, 0x2188 },   { 0x24b6, 0x24e9 },   { 0x2c00, 0x2d2d },
	{ 0xa640, 0xa7ff },   { 0xab53, 0xabbf },   { 0xff21, 0xff5a },
	{ 0x10400, 0x104fb }, { 0x10570, 0x105bc }, { 0x10c80, 0x10cf2 },
	{ 0x118a0, 0x118df }, { 0x16e40, 0x16e7f }, { 0x1e900, 0x1e943 },
};

/* The first character of a match and its last. */
static struct range match_range(struct span text, const size_t *at)
{
	size_t last = at[1] - 1;
	size_t len;
	struct range r;

	while ((text.at[last] & 0xc0) == 0x80)
		last--;
	r.lo = utf8_decode(span_part(text, at[0], text.len - at[0]), &len);
	r.hi = utf8_decode(span_part(text, last, text.len - last), &len);
	return r;
}

/* Which characters from lo to hi the expression, a class and ++, matches. */
static int find_between(ranges *found, struct arena *arena, pcre2_code *code,
			struct range in)
{
	pcre2_match_data *match = pcre2_match_data_create(1, NULL);
	uint8_t *text = arena_array(arena, in.hi - in.lo + 1, 4);
	uint8_t *end = text;
	size_t at = 0;
	size_t len;

	for (uint32_t c = in.lo; text && c <= in.hi; c++)
		end = put_rune(end, c);
	len = (size_t)(end - text);
	while (match && text &&
	       pcre2_match(code, text, len, at, PCRE2_NO_UTF_CHECK, match,
			   NULL) > 0) {
		const size_t *where = pcre2_get_ovector_pointer(match);
		struct range *r = VEC_PUSH(found, arena);

		if (r)
			*r = match_range(span_of(text, len), where);
		at = where[1];
	}
	pcre2_match_data_free(match);
	return match && !arena->failed ? 0 : -ENOMEM;
}

static int find_members(ranges *found, struct arena *arena,
			const struct sink *class, const struct range *in,
			size_t count)
{
	struct span pattern = sink_bytes(class);
	size_t offset;
	int r;
	pcre2_code *code = pcre2_compile(pattern.at, pattern.len, PCRE2_UTF, &r,
					 &offset, NULL);

	r = code ? 0 : -ENOMEM;
	for (size_t i = 0; i < count && r == 0; i++)
		r = find_between(found, arena, code, in[i]);
	pcre2_code_free(code);
	return r;
}

/* Writes the union of two sorted lists, or all that is in neither. */
static void write_union(struct sink *out, const ranges *a, const ranges *b,
			bool negated)
{
	uint32_t next = 0; /* the first character not decided about */
	uint32_t i = 0;
	uint32_t j = 0;

	while (i < a->count || j < b->count) {
		struct range r;

		if (j == b->count ||
		    (i < a->count && a->at[i].lo <= b->at[j].lo))
			r = a->at[i++];
		else
			r = b->at[j++];
		if (r.lo < next)
			r.lo = next;
		if (r.lo > r.hi)
			continue;
		if (!negated)
			range_write(out, r.lo, r.hi);
		else if (r.lo > next)
			range_write(out, next, r.lo - 1);
		next = r.hi + 1;
	}
	if (negated && next <= RUNE_MAX)
		range_write(out, next, RUNE_MAX);
}

/* The group's characters in the ranges. */
static int find_group(ranges *found, struct arena *arena, struct span name,
		      const struct range *in, size_t count)
{
	struct sink class = sink_to_memory(arena);

	sink_char(&class, '[');
	write_group(&class, name, false);
	sink_text(&class, "]++");
	return find_members(found, arena, &class, in, count);
}

/* All that equals one of the members but for case. */
static int find_others(ranges *found, struct arena *arena,
		       const ranges *members)
{
	struct sink class = sink_to_memory(arena);

	if (!members->count)
		return 0;
	sink_text(&class, "(?i)[");
	for (uint32_t i = 0; i < members->count; i++)
		range_write(&class, members->at[i].lo, members->at[i].hi);
	sink_text(&class, "]++");
	return find_members(found, arena, &class, cased, ARRAY_SIZE(cased));
}

/*
 * PCRE2 does not widen groups to characters that differ by case.  So list the
 * cased characters of the group, then those that equal one of them but for
 * case.  The complement has to be listed in full, which takes milliseconds.
 */
static int write_folded(struct sink *out, struct span name, bool negated)
{
	struct arena arena = { 0 };
	ranges members = { 0 };
	ranges others = { 0 };
	ranges all = { 0 };
	int r = find_group(&members, &arena, name, cased, ARRAY_SIZE(cased));

	if (r == 0)
		r = find_others(&others, &arena, &members);
	if (r == 0 && negated)
		r = find_group(&all, &arena, name, everything,
			       ARRAY_SIZE(everything));
	else if (r == 0)
		write_group(out, name, false);
	if (r == 0)
		write_union(out, &all, &others, negated);
	arena_release(&arena);
	return r;
}

int unicode_group_write(struct sink *out, struct span name, bool negated,
			bool fold)
{
	if (fold && !span_equal(name, span_text("Any")))
		return write_folded(out, name, negated);
	write_group(out, name, negated);
	return 0;
}
