/* SPDX-License-Identifier: MIT */
/*
 * tagfocus and tagignore: which samples stay by their labels; tagshow and
 * taghide: which labels stay.  Each distinct label set is judged once.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "profile/derive.h"
#include "profile/relabel.h"
#include "profile/unit.h"
#include "report/context.h"
#include "report/filter.h"
#include "report/regex.h"

/* "4mb:", ":64kb", "32kb", "12kb:64mb": numbers in a unit. */
struct tag_range {
	bool low, high; /* which ends there are */
	double from;
	double to;
	const char *unit;
};

/* One of tagfocus and tagignore. */
struct tag_filter {
	const char *option; /* NULL: not set */
	bool ranged;
	struct tag_range range;
	struct span key; /* empty: any */
	VEC(struct regex *) regexes;
};

struct tag_filters {
	struct tag_filter focus;
	struct tag_filter ignore;
};

struct quantity {
	int64_t number;
	char *unit;
	bool present;
	bool overflow;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A sign, digits and letters at *text, which is moved behind them. */
static struct quantity parse_quantity(struct arena *arena, const char **text)
{
	struct quantity q = { 0 };
	const char *at = *text;
	bool minus = *at == '-';
	const char *start;

	at += *at == '-' || *at == '+';
	if (!is_digit(*at))
		return q;
	for (; is_digit(*at); at++)
		q.overflow |= __builtin_mul_overflow(q.number, 10, &q.number) ||
			      __builtin_add_overflow(
				      q.number, minus ? '0' - *at : *at - '0',
				      &q.number);
	start = at;
	while (is_letter(*at))
		at++;
	q.unit = arena_text(arena, start, (size_t)(at - start));
	q.present = q.unit != NULL;
	*text = at;
	return q;
}

/* Returns 1 if text is a range, 0 if not, or a negative errno. */
static int parse_range(struct tag_range *range, const char *text,
		       struct arena *arena, struct error *err)
{
	const char *at = text;
	bool open_low = *at == ':';
	bool open_high;
	struct quantity a, b = { 0 };
	struct measure low, high;

	at += open_low;
	a = parse_quantity(arena, &at);
	if (!a.present)
		return 0;
	open_high = !open_low && *at == ':';
	at += open_high;
	if (open_high)
		b = parse_quantity(arena, &at);
	if (*at)
		return 0;
	if (a.overflow || b.overflow)
		return error_set(err, -ERANGE,
				 "'%s' holds a number that is too large", text);

	low = unit_scale(a.number, a.unit, a.unit);
	*range = (struct tag_range){ .low = !open_low,
				     .high = open_low || !open_high,
				     .from = low.value,
				     .to = low.value,
				     .unit = low.unit };
	if (!b.present)
		return 1;
	high = unit_scale(b.number, b.unit, low.unit);
	if (strcmp(high.unit, low.unit) != 0)
		return 0;
	range->high = true;
	range->to = high.value;
	return 1;
}

static int add_regex(struct tag_filter *f, struct arena *arena,
		     const char *pattern, struct error *err)
{
	struct regex **row = VEC_PUSH(&f->regexes, arena);
	int r;

	if (!row)
		return error_set(err, -ENOMEM, "out of memory");
	r = regex_compile(row, pattern, err);
	if (r < 0) {
		*row = NULL;
		error_prefix(err, "parsing %s regexp", f->option);
	}
	return r;
}

static int add_regexes(struct tag_filter *f, struct arena *arena,
		       const char *list, struct error *err)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		const char *one = arena_text(arena, list, len);
		int r;

		if (!one)
			return error_set(err, -ENOMEM, "out of memory");
		r = add_regex(f, arena, one, err);
		if (r < 0 || !list[len])
			return r;
		list += len + 1;
	}
}

static int compile(const struct report_context *c, struct tag_filter *f,
		   const char *option, const char *value, struct error *err)
{
	const char *equals;
	int r;

	if (!value || !*value)
		return 0;
	f->option = option;
	equals = strchr(value, '=');
	if (equals) {
		f->key = span_of(value, (size_t)(equals - value));
		value = equals + 1;
	}
	r = parse_range(&f->range, value, c->arena, err);
	if (r < 0)
		return r;
	f->ranged = r;
	if (!f->ranged)
		return add_regexes(f, c->arena, value, err);
	context_say(c, "%s:Interpreted '%s' as range, not regexp", option,
		    value);
	return 0;
}

int tag_filters_compile(struct report_context *c, struct tag_filters **ret,
			struct error *err)
{
	struct tag_filters *f = ARENA_NEW(c->arena, struct tag_filters);
	int r;

	if (!f)
		return error_set(err, -ENOMEM, "out of memory");
	*ret = f;
	r = compile(c, &f->focus, "tagfocus", c->view.tagfocus, err);
	if (r < 0)
		return r;
	return compile(c, &f->ignore, "tagignore", c->view.tagignore, err);
}

static void release(struct tag_filter *f)
{
	for (uint32_t i = 0; i < f->regexes.count; i++)
		regex_free(f->regexes.at[i]);
}

void tag_filters_release(struct tag_filters *f)
{
	if (!f)
		return;
	release(&f->focus);
	release(&f->ignore);
}

static bool in_range(const struct tag_range *range, int64_t number,
		     const char *unit)
{
	struct measure m = unit_scale(number, unit, range->unit);

	if (strcmp(m.unit, range->unit) != 0)
		return false;
	return (!range->low || m.value >= range->from) &&
	       (!range->high || m.value <= range->to);
}

static bool key_fits(const struct report_context *c, const struct tag_filter *f,
		     const struct label *l)
{
	return !f->key.len ||
	       span_equal(f->key, str_span(c->profile.strings, l->key));
}

static bool range_matches(const struct report_context *c,
			  const struct tag_filter *f, const struct label *l)
{
	return l->numeric && key_fits(c, f, l) &&
	       in_range(&f->range, l->number, key_unit(c, l->key));
}

/* "key:value" without a key asked for, else the value of that key. */
static bool text_matches(const struct report_context *c,
			 const struct tag_filter *f, struct regex *re,
			 const struct label *l)
{
	struct arena scratch = { 0 };
	struct sink text = sink_to_memory(&scratch);
	bool match;

	if (l->numeric || !key_fits(c, f, l))
		return false;
	if (!f->key.len) {
		sink_span(&text, str_span(c->profile.strings, l->key));
		sink_char(&text, ':');
	}
	sink_span(&text, str_span(c->profile.strings, l->text));
	match = regex_match(re, (const char *)sink_bytes(&text).at,
			    sink_bytes(&text).len);
	arena_release(&scratch);
	return match;
}

static bool regex_matches_any(const struct report_context *c,
			      const struct tag_filter *f, struct regex *re,
			      labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&c->profile.label_sets, id, &count);

	for (uint32_t i = 0; i < count; i++)
		if (text_matches(c, f, re, &l[i]))
			return true;
	return false;
}

static bool set_matches(const struct report_context *c,
			const struct tag_filter *f, labels_id id)
{
	uint32_t count;
	const struct label *l = labels_get(&c->profile.label_sets, id, &count);

	for (uint32_t i = 0; f->ranged && i < count; i++)
		if (range_matches(c, f, &l[i]))
			return true;
	if (f->ranged)
		return false;
	/* Without a key all expressions must match, with one any. */
	for (uint32_t i = 0; i < f->regexes.count; i++) {
		bool match = regex_matches_any(c, f, f->regexes.at[i], id);

		if (match != !f->key.len)
			return match;
	}
	return !f->key.len;
}

enum verdict { UNKNOWN, FOCUSED = 1, IGNORED = 2, KNOWN = 4 };

static uint8_t judge(const struct report_context *c,
		     const struct tag_filters *f, labels_id id)
{
	uint8_t v = KNOWN;

	if (!f->focus.option || set_matches(c, &f->focus, id))
		v |= FOCUSED;
	if (f->ignore.option && set_matches(c, &f->ignore, id))
		v |= IGNORED;
	return v;
}

int tag_filters_apply(struct report_context *c, struct tag_filters *f)
{
	struct profile *p = &c->profile;
	uint8_t *known;
	bool *keep;
	uint8_t seen = 0;

	if (!f->focus.option && !f->ignore.option)
		return 0;
	known = ARENA_ARRAY(c->arena, uint8_t, p->label_sets.sets.count);
	keep = ARENA_ARRAY(c->arena, bool, p->sample_count);
	if (!known || !keep)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		uint8_t *v = &known[p->labels[i]];

		if (*v == UNKNOWN)
			*v = judge(c, f, p->labels[i]);
		seen |= *v;
		keep[i] = (*v & FOCUSED) && !(*v & IGNORED);
	}
	if (f->focus.option && !(seen & FOCUSED))
		context_say(c, "TagFocus expression matched no samples");
	if (f->ignore.option && !(seen & IGNORED))
		context_say(c, "TagIgnore expression matched no samples");
	return profile_select_samples(p, keep, NULL);
}

struct key_filters {
	struct matcher show;
	struct matcher hide;
	bool showed;
	bool hid;
};

static bool label_stays(void *context, const struct label *l)
{
	struct key_filters *f = context;
	bool show = !matcher_active(&f->show) ||
		    matcher_match(&f->show, l->key);
	bool hide = matcher_match(&f->hide, l->key);

	f->showed |= show;
	f->hid |= hide;
	return show && !hide;
}

static int filter_keys(struct profile *p, struct key_filters *f)
{
	const struct relabeling r = { .keeps = label_stays, .context = f };

	if (profile_own_labels(p) < 0 || profile_own_samples(p) < 0)
		return -ENOMEM;
	return profile_relabel(p, &r);
}

int tag_keys_apply(struct report_context *c, struct error *err)
{
	struct key_filters f = { 0 };
	const struct view *v = &c->view;
	int r = matcher_init(&f.show, "tagshow", v->tagshow, c->profile.strings,
			     c->arena, err);

	if (r == 0)
		r = matcher_init(&f.hide, "taghide", v->taghide,
				 c->profile.strings, c->arena, err);
	if (r == 0 && (matcher_active(&f.show) || matcher_active(&f.hide))) {
		r = filter_keys(&c->profile, &f);
		if (r < 0)
			error_set(err, r, "out of memory");
		if (matcher_active(&f.show) && !f.showed)
			context_say(c, "TagShow expression matched no samples");
		if (matcher_active(&f.hide) && !f.hid)
			context_say(c, "TagHide expression matched no samples");
	}
	matcher_release(&f.show);
	matcher_release(&f.hide);
	return r;
}
