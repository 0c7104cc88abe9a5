/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions on top of PCRE2.  PCRE2 backtracks, so its limits are
 * set low; what it can not decide within them is asked of its other matcher,
 * which follows all alternatives at once and can not blow up, as long as the
 * texts are short.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "report/regex.h"

#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "report/regex_parser.h"
#include "report/regex_syntax.h"

enum {
	/* What regex_translate() writes for. */
	REGEX_OPTIONS = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_ALT_CIRCUMFLEX |
			PCRE2_NEVER_UCP | PCRE2_NEVER_BACKSLASH_C,
	NESTING_MAX = 2500,   /* more than regex_translate() makes */
	STEPS_MAX = 100000,   /* about a millisecond */
	STEPS_LOW = 2000,     /* once that has happened often */
	HEAP_MAX = 16 * 1024, /* kilobytes */
	OFTEN = 1000,
	WORKSPACE = 16 * 1024,
	/* Compiling to machine code takes as long as many short matches. */
	JIT_AFTER = 2000,
};

struct regex {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	char *text; /* a copy of a text that is not UTF-8, made so */
	size_t text_size;
	int *workspace;	 /* of the other matcher, once it is needed */
	uint64_t budget; /* for it: squares of text lengths */
	uint64_t matches;
	uint64_t limits_met;
	uint64_t gave_up;
};

void regex_free(struct regex *re)
{
	if (!re)
		return;
	pcre2_match_context_free(re->context);
	pcre2_match_data_free(re->match);
	pcre2_code_free(re->code);
	free(re->workspace);
	free(re->text);
	free(re);
}

static int compile_code(struct regex *re, struct span pattern,
			struct span translated, struct error *err)
{
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	size_t offset;
	int code = 0;

	if (!c)
		return error_set(err, -ENOMEM, "out of memory");
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	pcre2_set_parens_nest_limit(c, NESTING_MAX);
	pcre2_set_compile_extra_options(c, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
	re->code = pcre2_compile(
		translated.len ? translated.at : (PCRE2_SPTR) "",
		translated.len, REGEX_OPTIONS, &code, &offset, c);
	pcre2_compile_context_free(c);
	if (re->code)
		return 0;
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return error_set(err, -ENOMEM, "out of memory");
	/* Nothing else is left for PCRE2 to object to. */
	return error_set(err, -EINVAL,
			 "error parsing regexp: expression too large: `%.*s`",
			 (int)(pattern.len < 400 ? pattern.len : 400),
			 (const char *)pattern.at);
}

static int prepare(struct regex *re, struct error *err)
{
	re->match = pcre2_match_data_create_from_pattern(re->code, NULL);
	re->context = pcre2_match_context_create(NULL);
	if (!re->match || !re->context)
		return error_set(err, -ENOMEM, "out of memory");
	pcre2_set_match_limit(re->context, STEPS_MAX);
	pcre2_set_heap_limit(re->context, HEAP_MAX);
	re->budget = 2000000000;
	return 0;
}

int regex_compile_bytes(struct regex **ret, const char *pattern, size_t len,
			struct error *err)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct span source = span_of(pattern, len);
	struct regex *re = calloc(1, sizeof(*re));
	int r;

	if (!re)
		return error_set(err, -ENOMEM, "out of memory");
	r = regex_translate(source, &out, err);
	if (r == 0)
		r = compile_code(re, source, sink_bytes(&out), err);
	if (r == 0)
		r = prepare(re, err);
	arena_release(&arena);
	if (r < 0) {
		regex_free(re);
		return r;
	}
	*ret = re;
	return 0;
}

int regex_compile(struct regex **ret, const char *pattern, struct error *err)
{
	return regex_compile_bytes(ret, pattern, strlen(pattern), err);
}

/* How many bytes at the start of s are UTF-8. */
static size_t valid_prefix(struct span s)
{
	size_t i = 0;
	size_t len;
	uint64_t word;

	while (i < s.len) {
		if (s.len - i >= 8) {
			memcpy(&word, s.at + i, 8);
			if (!(word & 0x8080808080808080u)) {
				i += 8;
				continue;
			}
		}
		if (utf8_decode(span_of(s.at + i, s.len - i), &len) ==
			    RUNE_ERROR &&
		    len == 1)
			return i;
		i += len;
	}
	return i;
}

/* Copies the text with U+FFFD for each byte that is not UTF-8. */
static bool make_valid(struct regex *re, struct span *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct span in = *s;
	size_t n = 0;
	size_t len;

	if (in.len > SIZE_MAX / 3)
		return false;
	if (3 * in.len > re->text_size) {
		char *grown = realloc(re->text, 3 * in.len);

		if (!grown)
			return false;
		re->text = grown;
		re->text_size = 3 * in.len;
	}
	while (in.len) {
		bool bad = utf8_decode(in, &len) == RUNE_ERROR && len == 1;

		memcpy(re->text + n, bad ? replacement : (const char *)in.at,
		       bad ? 3 : len);
		n += bad ? 3 : len;
		in = span_of(in.at + len, in.len - len);
	}
	*s = span_of(re->text, n);
	return true;
}

/* Where in the original text an offset into the valid copy is. */
static size_t original_offset(struct span original, size_t offset)
{
	size_t copied = 0;
	size_t i = 0;
	size_t len;

	while (copied < offset) {
		bool bad = utf8_decode(
				   span_of(original.at + i, original.len - i),
				   &len) == RUNE_ERROR &&
			   len == 1;

		copied += bad ? 3 : len;
		i += len;
	}
	return i;
}

/* Asks the matcher that does not backtrack: 1, 0, or -1 for it is too hard. */
static int match_slowly(struct regex *re, struct span s)
{
	uint64_t cost = (uint64_t)s.len * s.len + 1000;
	int r;

	if (s.len > UINT32_MAX || cost > re->budget)
		return -1;
	re->budget -= cost;
	if (!re->workspace)
		re->workspace = malloc(WORKSPACE * sizeof(*re->workspace));
	if (!re->workspace)
		return -1;
	r = pcre2_dfa_match(re->code, s.at, s.len, 0,
			    PCRE2_NO_UTF_CHECK | PCRE2_DFA_SHORTEST, re->match,
			    re->context, re->workspace, WORKSPACE);
	return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static bool is_limit(int r)
{
	return r == PCRE2_ERROR_MATCHLIMIT || r == PCRE2_ERROR_DEPTHLIMIT ||
	       r == PCRE2_ERROR_HEAPLIMIT || r == PCRE2_ERROR_NOMEMORY ||
	       r == PCRE2_ERROR_JIT_STACKLIMIT;
}

/* Returns what PCRE2 does: the number of groups, or a negative reason. */
static int match_once(struct regex *re, struct span s)
{
	int r;

	if (++re->matches == JIT_AFTER) /* without it things are as before */
		(void)pcre2_jit_compile(re->code, PCRE2_JIT_COMPLETE);
	r = pcre2_match(re->code, s.at, s.len, 0, PCRE2_NO_UTF_CHECK, re->match,
			re->context);
	if (r == PCRE2_ERROR_JIT_STACKLIMIT)
		r = pcre2_match(re->code, s.at, s.len, 0,
				PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, re->match,
				re->context);
	if (is_limit(r) && ++re->limits_met == OFTEN)
		pcre2_set_match_limit(re->context, STEPS_LOW);
	return r;
}

bool regex_match(struct regex *re, const char *text, size_t len)
{
	struct span s = span_of(len ? text : "", len);
	int r;

	if (valid_prefix(s) < len && !make_valid(re, &s)) {
		re->gave_up++;
		return false;
	}
	r = match_once(re, s);
	if (is_limit(r)) {
		r = match_slowly(re, s);
		if (r < 0)
			re->gave_up++;
		return r > 0;
	}
	return r >= 0;
}

unsigned regex_find(struct regex *re, const char *text, size_t len,
		    struct regex_range *ret, unsigned room)
{
	struct span original = span_of(len ? text : "", len);
	struct span s = original;
	const size_t *found = pcre2_get_ovector_pointer(re->match);
	unsigned count = pcre2_get_ovector_count(re->match);
	int r;

	if (valid_prefix(s) < len && !make_valid(re, &s)) {
		re->gave_up++;
		return 0;
	}
	r = match_once(re, s);
	/* The other matcher can tell that there is none, but not where. */
	if (is_limit(r) && match_slowly(re, s) != 0)
		re->gave_up++;
	if (r < 0)
		return 0;
	for (unsigned i = 0; i < count && i < room; i++) {
		ret[i] = (struct regex_range){ .start = SIZE_MAX,
					       .end = SIZE_MAX };
		if (found[2 * i] == PCRE2_UNSET)
			continue;
		ret[i].start = found[2 * i];
		ret[i].end = found[2 * i + 1];
		if (s.at == original.at)
			continue;
		ret[i].start = original_offset(original, ret[i].start);
		ret[i].end = original_offset(original, ret[i].end);
	}
	return count;
}

uint64_t regex_gave_up(const struct regex *re)
{
	return re->gave_up;
}
