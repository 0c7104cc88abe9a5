/* SPDX-License-Identifier: MIT */
/* From a profile and a view to what is drawn: see flame.h. */
#include "export/flame.h"

#include "base/arena.h"
#include "base/sink.h"
#include "export/threads.h"
#include "format/folded.h"
#include "report/context.h"
#include "report/human.h"
#include "report/report.h"

/* Every box counts; the picture leaves out what is too small for itself. */
static void adjust_flame(struct view *view)
{
	view->trim = false;
}

static const struct report report_flame = {
	.name = "flame",
	.summary = "a flame graph",
	.adjust = adjust_flame,
};

static int write_context(struct report_context *c,
			 const struct flame_options *options, struct sink *out,
			 struct error *err)
{
	struct sink title = sink_to_memory(c->arena);
	struct sink subtitle = sink_to_memory(c->arena);
	struct flame_subject subject = {
		.profile = &c->profile,
		.loss = &c->request->profile->loss,
		.type = c->value.index,
		.type_name = c->type,
		.unit = c->sample_unit,
		.nodes = context_node_options(c, NULL),
	};

	put_measured(&title, c);
	put_extent(&subtitle, c);
	subject.title = sink_bytes(&title);
	subject.subtitle = sink_bytes(&subtitle);
	return flame_draw(&subject, options, out, c->arena, err);
}

int flame_write(const struct profile *p, const struct view *view,
		const struct flame_options *options, struct sink *out,
		struct sink *talk, struct error *err)
{
	struct arena arena = { 0 };
	struct view adjusted = *view;
	const struct report_request request = {
		.report = &report_flame,
		.profile = p,
		.view = &adjusted,
		.talk = talk,
	};
	struct report_context c = { 0 };
	int r = 0;

	if (options->compare)
		adjusted.sample_index = FOLDED_AFTER;
	if (options->per_thread)
		r = threads_as_roots(&adjusted, p, &arena, err);
	if (r == 0)
		r = context_make(&c, &arena, &request, err);
	if (r == 0)
		r = write_context(&c, options, out, err);
	context_release(&c);
	arena_release(&arena);
	return r;
}
