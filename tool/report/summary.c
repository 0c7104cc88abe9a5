/* SPDX-License-Identifier: MIT */
/* summary: what a profile holds, before any question is asked. */
#include <errno.h>

#include "base/error.h"
#include "base/json.h"
#include "base/sink.h"
#include "profile/loss.h"
#include "profile/number.h"
#include "report/context.h"
#include "report/human.h"
#include "report/report.h"
#include "term/colour.h"

struct counts {
	uint32_t stacks;  /* different ones */
	uint32_t unnamed; /* locations without a function */
	uint32_t deepest;
};

static int count(const struct profile *p, struct arena *arena,
		 struct counts *ret)
{
	bool *seen = ARENA_ARRAY(arena, bool, p->stacks.nodes.count);

	if (!seen)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		stack_id id = p->stack[i];
		uint32_t depth;

		if (seen[id])
			continue;
		seen[id] = true;
		ret->stacks++;
		depth = stack_depth(&p->stacks, id);
		if (depth > ret->deepest)
			ret->deepest = depth;
	}
	for (uint32_t i = 1; i < p->locations.count; i++)
		ret->unnamed += !p->locations.at[i].line_count;
	return 0;
}

static int64_t type_total(const struct profile *p, uint32_t type)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		total += (uint64_t)profile_values(p, i)[type];
	return (int64_t)total;
}

static void put_types(struct sink *out, const struct report_context *c)
{
	const struct profile *p = &c->profile;

	for (uint32_t t = 0; t < p->types.count; t++) {
		const char *unit = profile_text(p, p->types.at[t].unit);

		sink_format(
			out, "  %s %-16s %12s\n",
			t == c->value.index ? "*" : " ",
			profile_text(p, p->types.at[t].type),
			number_label(c->arena, type_total(p, t), unit, "auto"));
	}
}

static void put_text(struct sink *out, const struct report_context *c,
		     const struct counts *n)
{
	const struct profile *p = &c->profile;

	put_human_header(out, c);
	sink_text(out, "types (the marked one is reported):\n");
	put_types(out, c);
	sink_format(
		out,
		"%u different stacks, at most %u frames deep; %u functions in %u mapping%s\n",
		n->stacks, n->deepest, p->functions.count - 1,
		p->mappings.count - 1, p->mappings.count == 2 ? "" : "s");
	if (n->unnamed)
		sink_format(out, "%u of %u addresses have no name\n",
			    n->unnamed, p->locations.count - 1);
	for (uint32_t i = 0; i < p->comments.count; i++) {
		sink_text(out, "comment: ");
		put_cut(out, str_span(p->strings, p->comments.at[i]), 200);
		sink_char(out, '\n');
	}
}

static void put_number(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_int(j, value);
}

static void put_json(struct sink *out, const struct report_context *c,
		     const struct counts *n)
{
	const struct profile *p = &c->profile;
	struct json j = json_to(out);

	json_open(&j, '{');
	json_key(&j, "types");
	json_open(&j, '[');
	for (uint32_t t = 0; t < p->types.count; t++) {
		json_open(&j, '{');
		json_key(&j, "type");
		json_text(&j, profile_text(p, p->types.at[t].type));
		json_key(&j, "unit");
		json_text(&j, profile_text(p, p->types.at[t].unit));
		put_number(&j, "total", type_total(p, t));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	put_number(&j, "samples", p->sample_count);
	put_number(&j, "stacks", n->stacks);
	put_number(&j, "deepest", n->deepest);
	put_number(&j, "functions", p->functions.count - 1);
	put_number(&j, "locations", p->locations.count - 1);
	put_number(&j, "unnamed", n->unnamed);
	put_number(&j, "time_nanos", p->header.time_nanos);
	put_number(&j, "duration_nanos", p->header.duration_nanos);
	json_close(&j, '}');
	sink_char(out, '\n');
}

static int summary_write(struct report_context *c, struct sink *out,
			 struct error *err)
{
	struct counts n = { 0 };
	int r = count(&c->profile, c->arena, &n);

	if (r < 0)
		return error_set(err, r, "out of memory");
	if (c->request->look->json)
		put_json(out, c, &n);
	else
		put_text(out, c, &n);
	return 0;
}

const struct report report_summary = {
	.name = "summary",
	.summary = "what the profile holds",
	.write = summary_write,
};
