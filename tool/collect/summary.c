/* SPDX-License-Identifier: MIT */
/* See summary.h. */
#include "collect/summary.h"

#include <unistd.h>

#include "base/sink.h"
#include "collect/collect.h"
#include "collect/program.h"
#include "collect/recorder.h"
#include "collect/size.h"
#include "profile/loss.h"
#include "profile/number.h"
#include "report/human.h"
#include "report/open.h"
#include "report/report.h"
#include "term/colour.h"
#include "term/width.h"

enum { TOP = 5, MODULES = 3 };

void summary_time(struct sink *out, struct arena *arena, uint64_t ns)
{
	sink_text(out, number_label(arena, (int64_t)ns, "nanoseconds", "auto"));
}

static void put_count(struct sink *out, uint64_t count, const char *one,
		      const char *many)
{
	sink_format(out, "%llu %s", (unsigned long long)count,
		    count == 1 ? one : many);
}

static void put_what(struct sink *out, struct recorder *r)
{
	const struct recorder_counts *n = &r->counts;

	sink_text(out, "recorded ");
	summary_time(out, &r->arena, n->nanoseconds);
	sink_text(out, " of CPU in ");
	put_count(out, n->samples, "sample", "samples");
	sink_text(out, ", ");
	put_count(out, r->tasks.threads_seen, "thread", "threads");
	sink_text(out, " of ");
	put_count(out, r->tasks.processes_seen, "process", "processes");
	sink_text(out, ", ");
	summary_time(out, &r->arena,
		     (uint64_t)r->profile.header.duration_nanos);
	sink_text(out, " long\n");
}

static uint64_t in_nanoseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* A task that ends before its first sample is due has none. */
static void put_unsampled(struct sink *out, struct recorder *r,
			  const struct program *p)
{
	uint64_t seen = r->counts.nanoseconds;
	uint64_t used = in_nanoseconds(p->used.ru_utime);

	if (r->choice.kernel)
		used += in_nanoseconds(p->used.ru_stime);
	if (!p->ended || r->counts.lost ||
	    used < seen + seen / 20 + 20 * r->choice.nanoseconds)
		return;
	sink_text(out, "of ");
	summary_time(out, &r->arena, used);
	sink_text(out,
		  " in all; the rest is in threads and processes too short to "
		  "be sampled; with CAP_PERFMON they are seen\n");
}

/* What was chosen, and why nothing better. */
static void put_choice(struct sink *out, const struct event_choice *c)
{
	sink_format(out, "by %s, %u Hz", event_name(c), c->hertz);
	if (c->kind == EVENT_CPU_CLOCK)
		sink_text(out, ": there are no hardware counters here");
	sink_char(out, '\n');
	if (!c->kernel)
		sink_text(out,
			  "without the kernel's time: that needs CAP_PERFMON "
			  "or kernel.perf_event_paranoid=1\n");
}

/* Why stacks were cut, and how many were completed by guesses. */
static void put_stacks(struct sink *out, const struct recorder *r)
{
	const struct recorder_counts *n = &r->counts;

	for (unsigned i = 0; i < UNWIND_REASONS; i++)
		if (n->ends[i] && i != UNWIND_COMPLETE)
			sink_format(out, "  %llu: %s\n",
				    (unsigned long long)n->ends[i],
				    unwind_reason_text(i));
	if (n->inferred)
		sink_format(out,
			    "%llu stack%s callers that are inferred: they "
			    "were not in the copy of the stack\n",
			    (unsigned long long)n->inferred,
			    n->inferred == 1 ? " has" : "s have");
}

/* One sample for each stack, with all that was seen in it. */
static void add_up(struct recorder *r)
{
	struct profile *p = &r->profile;

	p->sample_count = 0;
	for (uint32_t i = 0; i < r->sums.count; i++) {
		int64_t *value;

		if (!r->sums.at[i].samples)
			continue;
		value = profile_add_sample(p, i, 0);
		if (!value)
			return;
		value[0] = (int64_t)r->sums.at[i].samples;
		value[1] = (int64_t)r->sums.at[i].nanoseconds;
	}
}

/* Adds up, for each mapping, the samples whose code has no name. */
static void put_unnamed(struct sink *out, struct recorder *r)
{
	const struct profile *p = &r->profile;
	uint64_t *count = ARENA_ARRAY(&r->arena, uint64_t, p->mappings.count);

	for (uint32_t i = 0; count && i < p->sample_count; i++) {
		frame_id leaf = 0;
		const struct location *l;

		stack_frames(&p->stacks, p->stack[i], &leaf, 1);
		l = &p->locations.at[leaf];
		if (!l->line_count)
			count[l->mapping] += (uint64_t)profile_values(p, i)[0];
	}
	for (uint32_t i = 1; count && i < p->mappings.count; i++)
		if (count[i] * 100 > r->counts.samples)
			sink_format(out, "%llu sample%s no name, in %s\n",
				    (unsigned long long)count[i],
				    count[i] == 1 ? " has" : "s have",
				    profile_text(p, p->mappings.at[i].file));
}

void summary_top(struct sink *out, struct profile *p)
{
	struct report_look look = {
		.palette = colour_palette(STDERR_FILENO),
		.width = term_width(STDERR_FILENO),
	};
	struct view view = { 0 };
	struct report_request q = { .report = &report_human_brief,
				    .profile = p,
				    .view = &view,
				    .look = &look };

	if (!p->sample_count) {
		sink_text(out,
			  "nothing was sampled: the program used hardly any "
			  "CPU time; a higher --frequency sees more\n");
		return;
	}
	view_fill_defaults(&view);
	view.nodecount = TOP;
	/* Only a summary: the recording itself is safe. */
	if (profile_make_readable(p) == 0)
		(void)report_make(&q, out, NULL);
}

void summary_written(struct sink *out, const char *path, uint64_t bytes)
{
	sink_format(out, "written: %s, ", path);
	put_size(out, bytes);
	sink_text(out, "; look at it with wick report or wick flame\n");
}

void summary_write(struct recorder *r, const struct program *p,
		   const struct collect_options *o)
{
	static char buf[4096];
	struct sink out = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));

	put_what(&out, r);
	put_choice(&out, &r->choice);
	if (!o->delay_ms && !o->seconds_ms)
		put_unsampled(&out, r, p);
	loss_write(&r->profile.loss, &out);
	put_stacks(&out, r);
	add_up(r);
	if (!o->no_symbols)
		put_unnamed(&out, r);
	summary_top(&out, &r->profile);
	summary_written(&out, o->output, recorder_bytes(r));
	(void)sink_flush(&out); /* talk */
}
