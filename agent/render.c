/* SPDX-License-Identifier: MIT */
/* See render.h. */
#include "agent/render.h"

#include <errno.h>
#include <sys/mman.h>

#include "agent/capture.h"
#include "agent/lookup.h"
#include "base/sink.h"
#include "format/pprof.h"
#include "picture/caption.h"
#include "picture/flame.h"
#include "picture/stacktext.h"
#include "picture/top.h"

/* Bytes of an answer, and of what it takes to draw it. */
#define RENDER_MAX ((size_t)256 << 20)

struct render_job *render_new(void)
{
	struct render_job *job = mmap(NULL, sizeof(*job),
				      PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (job == MAP_FAILED)
		return NULL;
	job->arena.limit = RENDER_MAX;
	return job;
}

void render_free(struct render_job *job)
{
	if (job->capture)
		capture_drop(job->capture);
	arena_release(&job->arena);
	munmap(job, sizeof(*job));
}

void render_abandon(struct render_job *job)
{
	uint32_t working = RENDER_WORKING;

	/* Pairs with render_run(): the one who comes second frees it. */
	if (!atomic_compare_exchange_strong_explicit(
		    &job->state, &working, RENDER_ABANDONED,
		    memory_order_acq_rel, memory_order_acquire))
		render_free(job);
}

static int draw(const struct profile *p, enum flame_form form, struct sink *out,
		struct render_job *job)
{
	const uint32_t type = p->types.count - 1;
	const struct flame_options options = { .form = form, .min_width = 0.1 };
	struct sink title = sink_to_memory(&job->arena);
	struct sink subtitle = sink_to_memory(&job->arena);
	struct flame_subject subject = {
		.profile = p,
		.loss = &p->loss,
		.type = type,
		.type_name = profile_text(p, p->types.at[type].type),
		.unit = profile_text(p, p->types.at[type].unit),
		.nodes = { .function = true, .inlines = true },
	};
	const struct extent extent = extent_of(p, type);

	caption_subject(&title, p, subject.type_name);
	caption_extent(&subtitle, &extent, &job->arena);
	subject.title = sink_bytes(&title);
	subject.subtitle = sink_bytes(&subtitle);
	return flame_draw(&subject, &options, out, &job->arena, &job->err);
}

static int write_form(const struct profile *p, struct sink *out,
		      struct render_job *job)
{
	const uint32_t type = p->types.count - 1;

	switch (job->form) {
	case FORM_PPROF:
		return pprof_write(p, NULL, out, &job->err);
	case FORM_SVG:
		return draw(p, FLAME_SVG, out, job);
	case FORM_HTML:
		return draw(p, FLAME_HTML, out, job);
	case FORM_FOLDED:
		return draw(p, FLAME_FOLDED, out, job);
	case FORM_TEXT:
		return top_write(p, type, 0, out, &job->arena);
	case FORM_STACKS:
		return stacktext_counts(p, type, "threads", out, &job->arena);
	case FORM_THREADS:
		return stacktext_threads(p, out, &job->arena);
	case FORM_SYMBOLS:
		break;
	}
	return -EINVAL;
}

static int write_profile(struct render_job *job, struct sink *out)
{
	struct capture_result result;
	struct capture *capture = job->capture;
	int r;

	job->capture = NULL; /* it ends here, whatever happens */
	r = capture ? capture_end(capture, &result, &job->err)
		    : capture_threads(&result, &job->err);
	if (r < 0)
		return r;
	r = write_form(&result.profile, out, job);
	capture_release(&result);
	return r;
}

/* As Go's: whether there are symbols at all, then those asked for. */
static int write_symbols(struct render_job *job, struct sink *out)
{
	int r = lookup_names(job->lookups, job->lookup_count, &job->arena);

	if (r < 0)
		return error_set_errno(&job->err, r, "cannot look up names");
	sink_text(out, "num_symbols: 1\n");
	for (uint32_t i = 0; i < job->lookup_count; i++) {
		const struct lookup *l = &job->lookups[i];

		if (!l->name)
			continue;
		sink_format(out, "0x%llx ", (unsigned long long)l->address);
		sink_clean(out, span_text(l->name));
		sink_char(out, '\n');
	}
	return 0;
}

static int make(struct render_job *job)
{
	struct sink out = sink_to_memory(&job->arena);
	int r = job->form == FORM_SYMBOLS ? write_symbols(job, &out)
					  : write_profile(job, &out);

	if (r == 0 && sink_flush(&out) < 0)
		r = error_set(&job->err, -ENOMEM, "out of memory");
	job->bytes = sink_bytes(&out);
	return r;
}

void render_run(struct render_job *job)
{
	uint32_t working = RENDER_WORKING;

	job->result = make(job);
	/* Pairs with render_abandon() and render_is_done(). */
	if (!atomic_compare_exchange_strong_explicit(
		    &job->state, &working, RENDER_DONE, memory_order_acq_rel,
		    memory_order_acquire))
		render_free(job);
}
