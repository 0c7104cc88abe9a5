/* SPDX-License-Identifier: MIT */
/* topproto: the table of top, as a profile of its own. */
#include <errno.h>

#include "base/error.h"
#include "base/hash.h"
#include "format/format.h"
#include "profile/unit.h"
#include "report/graphview.h"
#include "report/report.h"
#include "report/reports.h"

struct top_profile {
	struct report_context *c;
	struct profile p;
	struct table functions;
};

static str_id copy_text(struct top_profile *x, str_id id)
{
	return strtab_add_span(x->p.strings,
			       str_span(x->c->profile.strings, id));
}

static function_id get_function(struct top_profile *x,
				const struct node_info *info)
{
	struct function row = {
		.id = x->p.functions.count,
		.name = copy_text(x, info->name),
		.file = copy_text(x, info->file),
		.start_line = info->start_line,
	};
	uint32_t hash = hash_u64(hash_mix((uint64_t)row.name << 32 | row.file,
					  (uint64_t)row.start_line));
	uint32_t i = table_start(&x->functions, hash);
	function_id id;

	for (; (id = table_id(&x->functions, i, hash)) != TABLE_END;
	     i = table_next(&x->functions, i)) {
		const struct function *f = &x->p.functions.at[id];

		if (id && f->name == row.name && f->file == row.file &&
		    f->start_line == row.start_line)
			return id;
	}
	id = profile_add_function(&x->p, row);
	if (id && !table_add(&x->functions, x->c->arena, hash, id))
		return 0;
	return id;
}

static int64_t in_unit(const struct report_context *c, int64_t value)
{
	return integer_part(unit_scale(value, c->sample_unit, c->unit).value);
}

static int add_node(struct top_profile *x, const struct trimmed *t,
		    uint32_t node)
{
	const struct graph_node *n = &t->graph.nodes.at[node];
	const struct node_info *info = trimmed_info(t, node);
	struct line line = {
		.function = get_function(x, info),
		.line = info->line,
		.column = info->column,
	};
	struct location l = {
		.id = x->p.locations.count,
		.address = info->address,
	};
	location_id id;
	int64_t *values;

	if (!line.function)
		return -ENOMEM;
	id = profile_add_location(&x->p, l, &line, 1);
	values = profile_add_sample(&x->p, stack_add(&x->p.stacks, 0, &id, 1),
				    0);
	if (!id || !values)
		return -ENOMEM;
	values[0] = in_unit(x->c, node_cum(n));
	values[1] = in_unit(x->c, node_flat(n));
	return 0;
}

static int begin(struct top_profile *x)
{
	const char *const names[] = { "cum", "flat" };
	const struct profile_header *h = &x->c->profile.header;
	int r = profile_init(&x->p, x->c->arena);

	for (int i = 0; i < 2 && r == 0; i++) {
		struct value_type *type = VEC_PUSH(&x->p.types, x->c->arena);

		if (!type)
			return -ENOMEM;
		type->type = strtab_add_text(x->p.strings, names[i]);
		type->unit = strtab_add_text(x->p.strings, x->c->unit);
	}
	x->p.header = (struct profile_header){
		.time_nanos = h->time_nanos,
		.duration_nanos = h->duration_nanos,
		.period = h->period,
		.period_type = { copy_text(x, h->period_type.type),
				 copy_text(x, h->period_type.unit) },
	};
	return r;
}

static int topproto_write(struct report_context *c, struct sink *out,
			  struct error *err)
{
	const struct graph_wish wish = { 0 };
	struct graph_view g = { 0 };
	struct top_profile x = { .c = c };
	int r = graph_view_prepare(&g, c, &wish, err);

	if (r == 0)
		r = graph_view_trim(&g, c, &wish, err);
	if (r < 0)
		return r;
	r = begin(&x);
	for (uint32_t i = 0; i < g.trimmed.shown_count && r == 0; i++)
		r = add_node(&x, &g.trimmed, g.trimmed.shown[i]);
	if (r < 0)
		return error_set(err, r, "out of memory");
	return format_find("pprof")->write(&x.p, NULL, out, err);
}

const struct report report_topproto = {
	.name = "topproto",
	.summary = "the table of top as compressed protobuf",
	.binary = true,
	.adjust = adjust_untrimmed_list,
	.write = topproto_write,
};
