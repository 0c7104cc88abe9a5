/* SPDX-License-Identifier: MIT */
/* Applying a view to a profile, step by step in pprof's order. */
#include "report/context.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/fmt.h"
#include "base/hash.h"
#include "base/sink.h"
#include "profile/derive.h"
#include "profile/number.h"
#include "profile/unit.h"
#include "report/filter.h"
#include "report/report.h"
#include "report/selection.h"

static void talk_out(void *to, const char *text, size_t len)
{
	sink_write(to, text, len);
}

void context_say(const struct report_context *c, const char *format, ...)
{
	struct sink *talk = c->request->talk;
	va_list ap;

	if (!talk)
		return;
	va_start(ap, format);
	fmt_stream(talk_out, talk, format, ap);
	va_end(ap);
	sink_char(talk, '\n');
}

static double ratio_of(const struct report_context *c)
{
	return 1 / c->view.divide_by;
}

/* A value's text, in the unit that reports had come to when it was made. */
struct value_label {
	int64_t value;
	const char *unit;
	const char *text; /* NULL: none yet */
	uint32_t len;
	uint32_t chars;
};

enum { LABEL_BITS = 12 };

const char *value_text_in(struct arena *arena, const struct report_context *c,
			  int64_t value)
{
	double ratio = ratio_of(c);

	if (ratio > 0 && ratio != 1)
		value = integer_part((double)value * ratio);
	return number_label(arena, value, c->sample_unit, c->unit);
}

static void make_label(struct value_label *l, const struct report_context *c,
		       int64_t value)
{
	const char *text = value_text_in(c->arena, c, value);
	struct span bytes = span_text(text);

	*l = (struct value_label){
		.value = value,
		.unit = c->unit,
		.text = text,
		.len = (uint32_t)bytes.len,
		.chars = (uint32_t)rune_count(bytes),
	};
}

static const struct value_label *label_of(const struct report_context *c,
					  int64_t value)
{
	uint32_t place = hash_u64((uint64_t)value) >> (32 - LABEL_BITS);
	struct value_label *l = &c->labels[place];

	if (!l->text || l->value != value || l->unit != c->unit)
		make_label(l, c, value);
	return l;
}

const char *value_text(const struct report_context *c, int64_t value)
{
	return label_of(c, value)->text;
}

void put_value_right(struct sink *out, const struct report_context *c,
		     int64_t value, size_t width)
{
	const struct value_label *l = label_of(c, value);
	size_t pad = l->chars < width ? width - l->chars : 0;
	char text[128];

	if (pad + l->len > sizeof(text)) {
		sink_repeat(out, ' ', pad);
		sink_write(out, l->text, l->len);
		return;
	}
	/* At once: there are millions of them. */
	memset(text, ' ', pad);
	memcpy(text + pad, l->text, l->len);
	sink_write(out, text, pad + l->len);
}

const char *value_or_dot(const struct report_context *c, int64_t value)
{
	return value ? value_text(c, value) : ".";
}

static struct key_unit *find_key_unit(const struct report_context *c,
				      str_id key)
{
	for (uint32_t i = 0; i < c->key_units.count; i++)
		if (c->key_units.at[i].key == key)
			return &c->key_units.at[i];
	return NULL;
}

const char *key_unit(const struct report_context *c, str_id key)
{
	const struct key_unit *u = find_key_unit(c, key);

	return u ? str_text(c->profile.strings, u->unit) : "";
}

/* Units beyond the first that a key came with, for a remark. */
struct other_unit {
	str_id key;
	str_id unit;
};

struct unit_finder {
	struct report_context *c;
	VEC(struct other_unit) others;
};

static bool note_other_unit(struct unit_finder *f, const struct label *l)
{
	struct other_unit *o;

	for (uint32_t i = 0; i < f->others.count; i++)
		if (f->others.at[i].key == l->key &&
		    f->others.at[i].unit == l->unit)
			return true;
	o = VEC_PUSH(&f->others, f->c->arena);
	if (o)
		*o = (struct other_unit){ l->key, l->unit };
	return o != NULL;
}

static bool note_unit(struct unit_finder *f, const struct label *l)
{
	struct key_unit *u = find_key_unit(f->c, l->key);

	if (!u) {
		u = VEC_PUSH(&f->c->key_units, f->c->arena);
		if (!u)
			return false;
		*u = (struct key_unit){ .key = l->key };
	}
	if (!l->unit || u->unit == l->unit)
		return true;
	if (u->given)
		return note_other_unit(f, l);
	u->unit = l->unit;
	u->given = true;
	return true;
}

/* The unit of a key that came with none. */
static str_id guessed_unit(const struct report_context *c, str_id key)
{
	const char *text = str_text(c->profile.strings, key);

	if (!strcmp(text, "alignment") || !strcmp(text, "request"))
		return strtab_add_text(c->profile.strings, "bytes");
	return key;
}

static void say_other_units(const struct unit_finder *f)
{
	const struct strtab *s = f->c->profile.strings;

	for (uint32_t k = 0; k < f->c->key_units.count; k++) {
		const struct key_unit *u = &f->c->key_units.at[k];
		struct sink list = sink_to_memory(f->c->arena);
		str_id last = 0;

		/* In the order of bytes, by repeated search: they are few. */
		for (bool more = true; more;) {
			str_id next = 0;

			for (uint32_t i = 0; i < f->others.count; i++) {
				str_id unit = f->others.at[i].unit;

				if (f->others.at[i].key != u->key ||
				    (last && str_compare(s, unit, last) <= 0))
					continue;
				if (!next || str_compare(s, unit, next) < 0)
					next = unit;
			}
			more = next != 0;
			if (more)
				sink_format(&list, "%s%s", last ? ", " : "",
					    str_text(s, next));
			last = next;
		}
		if (list.used)
			context_say(
				f->c,
				"For tag %s used unit %s, also encountered unit(s) %.*s",
				str_text(s, u->key), str_text(s, u->unit),
				(int)list.used, list.buf);
	}
}

static int find_key_units(struct report_context *c)
{
	struct profile *p = &c->profile;
	struct unit_finder f = { .c = c };
	bool *seen = ARENA_ARRAY(c->arena, bool, p->label_sets.sets.count);

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		uint32_t count;
		const struct label *l = labels_get(&p->label_sets, p->labels[i],
						   &count);

		if (seen[p->labels[i]])
			continue;
		seen[p->labels[i]] = true;
		for (uint32_t j = 0; j < count; j++)
			if (l[j].numeric && !note_unit(&f, &l[j]))
				return -ENOMEM;
	}
	for (uint32_t i = 0; i < c->key_units.count; i++) {
		struct key_unit *u = &c->key_units.at[i];

		if (!u->given)
			u->unit = guessed_unit(c, u->key);
	}
	say_other_units(&f);
	return c->arena->failed ? -ENOMEM : 0;
}

/* Marks the label sets that say a sample is of a diff's base. */
static bool *base_sets(const struct report_context *c)
{
	const struct profile *p = &c->profile;
	uint32_t sets = p->label_sets.sets.count;
	bool *base = ARENA_ARRAY(c->arena, bool, sets);
	str_id key = strtab_find(p->strings, "pprof::base", 11);
	str_id yes = strtab_find(p->strings, "true", 4);

	for (uint32_t s = 0; base && s < sets; s++) {
		uint32_t count;
		const struct label *l = labels_get(&p->label_sets, s, &count);

		for (uint32_t i = 0; i < count; i++)
			base[s] |= !l[i].numeric && l[i].key == key &&
				   l[i].text == yes;
	}
	return base;
}

/* What percentages are of: all samples, or those of the base in a diff. */
static int find_total(struct report_context *c)
{
	const struct profile *p = &c->profile;
	const bool *base = base_sets(c);
	uint64_t total = 0, div = 0, base_total = 0, base_div = 0;

	if (!base)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);
		uint64_t value = (uint64_t)v[c->value.index];
		uint64_t d = c->value.mean ? (uint64_t)v[0] : 0;

		if ((int64_t)value < 0)
			value = -value;
		total += value;
		div += d;
		if (base[p->labels[i]]) {
			base_total += value;
			base_div += d;
		}
	}
	if ((int64_t)base_total > 0) {
		total = base_total;
		div = base_div;
	}
	c->total = mean_value((int64_t)total, (int64_t)div);
	return 0;
}

static bool parse_index(const char *text, int64_t *ret)
{
	bool minus = *text == '-';
	int64_t n = 0;

	text += *text == '-' || *text == '+';
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' ||
		    __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *text - '0', &n))
			return false;
	}
	*ret = minus ? -n : n;
	return true;
}

static int no_such_type(const struct profile *p, const char *name,
			struct error *err)
{
	char list[300] = "";
	size_t len = 0;

	for (uint32_t t = 0; t < p->types.count && len < sizeof(list); t++)
		len += fmt_text(list + len, sizeof(list) - len, "%s%s",
				t ? " " : "",
				profile_text(p, p->types.at[t].type));
	return error_set(err, -EINVAL,
			 "sample_index \"%s\" must be one of: [%s]", name,
			 list);
}

static bool find_type(const struct profile *p, const char *name,
		      uint32_t *ret_index)
{
	for (uint32_t t = 0; t < p->types.count; t++)
		if (!strcmp(profile_text(p, p->types.at[t].type), name)) {
			*ret_index = t;
			return true;
		}
	return false;
}

static bool find_type_or_inuse(const struct profile *p, const char *name,
			       uint32_t *ret_index)
{
	const char *plain = strncmp(name, "inuse_", 6) ? name : name + 6;

	for (uint32_t t = 0; t < p->types.count; t++) {
		const char *type = profile_text(p, p->types.at[t].type);

		if (!strcmp(type, name) || !strcmp(type, plain)) {
			*ret_index = t;
			return true;
		}
	}
	return false;
}

int sample_index_find(const struct profile *p, const char *name,
		      uint32_t *ret_index, struct error *err)
{
	int64_t number;

	if (!p->types.count)
		return error_set(err, -EINVAL, "profile has no samples");
	if (!name || !*name) {
		const char *preferred = profile_text(p, p->header.default_type);

		if (!*preferred || !find_type(p, preferred, ret_index))
			*ret_index = p->types.count - 1;
		return 0;
	}
	if (parse_index(name, &number)) {
		if (number < 0 || number >= p->types.count)
			return error_set(
				err, -EINVAL,
				"sample_index %s is outside the range [0..%u]",
				name, p->types.count - 1);
		*ret_index = (uint32_t)number;
		return 0;
	}
	if (!find_type_or_inuse(p, name, ret_index))
		return no_such_type(p, name, err);
	return 0;
}

static int choose_value(struct report_context *c, struct error *err)
{
	struct profile *p = &c->profile;
	const struct value_type *type;
	int r = sample_index_find(p, c->view.sample_index, &c->value.index,
				  err);
	char *name;

	if (r < 0)
		return r;
	if (c->view.divide_by == 0)
		return error_set(err, -EINVAL, "zero divisor specified");
	c->value.mean = c->view.mean;
	type = &p->types.at[c->value.index];
	c->sample_unit = profile_text(p, type->unit);
	c->type = profile_text(p, type->type);
	if (!c->view.mean)
		return 0;
	name = arena_alloc(c->arena, strlen(c->type) + 6);
	if (!name)
		return error_set(err, -ENOMEM, "out of memory");
	fmt_text(name, strlen(c->type) + 6, "mean_%s", c->type);
	c->type = name;
	return 0;
}

static void adjust_view(struct report_context *c)
{
	struct view *v = &c->view;

	if (c->request->report->adjust)
		c->request->report->adjust(v);
	else if (v->nodecount == view_default.nodecount)
		v->nodecount = 80;
	if (v->trim)
		return;
	v->nodecount = 0;
	v->nodefraction = 0;
	v->edgefraction = 0;
}

static int compile_argument(struct report_context *c, struct error *err)
{
	const char *argument = c->request->argument;
	struct error why;
	int r;

	if (!argument)
		return 0;
	r = matcher_init(&c->argument, NULL, *argument ? argument : "()",
			 c->profile.strings, c->arena, &why);
	if (r < 0)
		return error_set(err, r, "parsing argument regexp %s: %s",
				 argument, why.text);
	return 0;
}

static int add_tags(struct report_context *c, struct error *err)
{
	struct selections *s = c->request->selections;

	return s ? selections_add_tags(s, c, err) : tagroot_apply(c, err);
}

static int apply_filters(struct report_context *c, struct error *err)
{
	struct selections *s = c->request->selections;

	return s ? selections_apply(s, c, err) : filter_apply(c, err);
}

static int apply(struct report_context *c, struct error *err)
{
	bool relative = c->view.relative_percentages;
	int r = find_key_units(c);

	if (r < 0)
		return error_set(err, r, "out of memory");
	r = add_tags(c, err);
	if (r == 0 && relative)
		r = apply_filters(c, err);
	if (r == 0)
		r = choose_value(c, err);
	if (r == 0)
		r = compile_argument(c, err);
	if (r < 0)
		return r;
	r = find_total(c);
	if (r < 0)
		return error_set(err, r, "out of memory");
	return relative ? 0 : apply_filters(c, err);
}

static int make_labels(struct report_context *c)
{
	c->labels = ARENA_ARRAY(c->arena, struct value_label, 1 << LABEL_BITS);
	return c->labels ? 0 : -ENOMEM;
}

int context_make(struct report_context *c, struct arena *arena,
		 const struct report_request *request, struct error *err)
{
	*c = (struct report_context){
		.arena = arena,
		.request = request,
		.view = *request->view,
	};
	profile_derive(&c->profile, request->profile, arena);
	if (make_labels(c) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	adjust_view(c);
	c->unit = c->view.unit ? c->view.unit : view_default.unit;
	return apply(c, err);
}

int context_copy(struct report_context *copy, const struct report_context *c,
		 struct arena *arena)
{
	*copy = *c;
	copy->arena = arena;
	return make_labels(copy);
}

void context_release(struct report_context *c)
{
	matcher_release(&c->argument);
}

struct node_options context_node_options(const struct report_context *c,
					 const str_id *files)
{
	enum granularity g = c->view.granularity;
	bool all = g == GRANULARITY_ADDRESSES;
	bool lines = all || g == GRANULARITY_LINES;

	return (struct node_options){
		.function = g != GRANULARITY_FILES,
		.file = g != GRANULARITY_FUNCTIONS,
		.line = lines,
		/* By address nothing is aggregated unless inlines go. */
		.column = (all && !c->view.noinlines) || c->view.showcolumns,
		.address = all,
		.inlines = !c->view.noinlines,
		.files = files,
	};
}
