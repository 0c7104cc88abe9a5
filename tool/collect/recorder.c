/* SPDX-License-Identifier: MIT */
/* See recorder.h. */
#include "collect/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/fmt.h"
#include "collect/record.h"
#include "collect/space.h"

uint64_t recorder_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static str_id text_id(struct recorder *r, const char *text)
{
	return strtab_add_text(r->profile.strings, text);
}

static void add_type(struct recorder *r, const char *type, const char *unit)
{
	struct value_type *t = VEC_PUSH(&r->profile.types, &r->arena);

	if (t)
		*t = (struct value_type){ text_id(r, type), text_id(r, unit) };
}

int recorder_init(struct recorder *r, const struct event_choice *choice,
		  struct error *err)
{
	int code;

	r->fd = -1;
	r->choice = *choice;
	code = batches_init(&r->batches);
	if (code == 0)
		code = binaries_init(&r->binaries);
	if (code == 0)
		code = profile_init(&r->profile, &r->arena);
	if (code < 0)
		return error_set_errno(err, code, "cannot start to record");
	r->tasks.binaries = &r->binaries;
	r->timeline.batches = &r->batches;
	r->interner.profile = &r->profile;
	r->interner.binaries = &r->binaries;
	callstacks_init(&r->callstacks, &r->binaries);
	add_type(r, "samples", "count");
	add_type(r, "cpu", "nanoseconds");
	if (profile_keep_times(&r->profile) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static void add_comment(struct recorder *r, const char *text)
{
	str_id *c = VEC_PUSH(&r->profile.comments, &r->arena);

	if (c)
		*c = text_id(r, text);
}

static void fill_header(struct recorder *r, const char *what)
{
	struct profile_header *h = &r->profile.header;
	struct timespec t;
	char line[200];

	clock_gettime(CLOCK_REALTIME, &t);
	h->time_nanos = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	h->period = (int64_t)r->choice.nanoseconds;
	h->period_type = r->profile.types.at[1];
	h->default_type = h->period_type.type;
	r->start = recorder_now();
	add_comment(r, what);
	fmt_text(line, sizeof(line), "%s at %u Hz, %s", event_name(&r->choice),
		 r->choice.hertz,
		 r->choice.kernel ? "kernel included" : "without the kernel");
	add_comment(r, line);
}

int recorder_open(struct recorder *r, const char *path, const char *what,
		  struct error *err)
{
	int code;

	r->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (r->fd < 0)
		return error_set_errno(err, -errno, "cannot write '%s'", path);
	r->out = sink_to_fd(r->fd, r->buffer, sizeof(r->buffer));
	r->recording = (struct recording){ .arena = &r->recording_arena,
					   .out = &r->out,
					   .level = RECORDING_LEVEL };
	fill_header(r, what);
	code = recording_begin(&r->recording, err);
	return code < 0 ? code : recorder_flush(r, err);
}

static void put_label(struct recorder *r, struct label *to, const char *key,
		      const char *text)
{
	*to = (struct label){ .key = text_id(r, key),
			      .text = text_id(r, text) };
}

static void put_number(struct recorder *r, struct label *to, const char *key,
		       int64_t number)
{
	*to = (struct label){ .key = text_id(r, key),
			      .number = number,
			      .numeric = true };
}

static labels_id make_labels(struct recorder *r, const struct thread *t,
			     enum unwind_reason reason, uint32_t inferred)
{
	struct label labels[6];
	uint32_t count = 0;

	put_label(r, &labels[count++], "process", t->process->name);
	put_label(r, &labels[count++], "thread", t->name);
	put_number(r, &labels[count++], "pid", t->process->pid);
	put_number(r, &labels[count++], "tid", t->tid);
	if (reason != UNWIND_COMPLETE)
		put_label(r, &labels[count++], "truncated",
			  unwind_reason_text(reason));
	if (inferred)
		put_number(r, &labels[count++], "inferred_frames", inferred);
	return labels_add(&r->profile.label_sets, labels, count);
}

static labels_id labels_of(struct recorder *r, struct thread *t)
{
	enum unwind_reason reason = r->stack.reason;

	if (r->stack.inferred)
		return make_labels(r, t, reason, r->stack.inferred);
	if (!t->labels[reason])
		t->labels[reason] = make_labels(r, t, reason, 0);
	return t->labels[reason];
}

static void add_frame(struct recorder *r, location_id id)
{
	location_id *f = id ? VEC_PUSH(&r->frames, &r->arena) : NULL;

	if (f)
		*f = id;
}

/* The kernel's part of a stack, which it has walked itself. */
static void add_kernel_frames(struct recorder *r, struct span chain)
{
	bool inside = false;
	bool leaf = true;

	for (size_t i = 0; i < chain.len / sizeof(uint64_t); i++) {
		uint64_t ip = span_word(chain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			inside = ip == PERF_CONTEXT_KERNEL;
			continue;
		}
		/* A return address is behind the call. */
		if (inside)
			add_frame(r, intern_kernel(&r->interner, ip - !leaf));
		leaf = false;
	}
}

static stack_id add_stack(struct recorder *r, struct thread *t,
			  const struct record_sample *s)
{
	r->frames.count = 0;
	add_kernel_frames(r, s->chain);
	for (uint32_t i = 0; i < r->stack.count; i++)
		add_frame(r, intern_user(&r->interner, t->process,
					 r->stack.pc[i]));
	return stack_add_leaf_first(&r->profile.stacks, r->frames.at,
				    r->frames.count);
}

static void add_to_sums(struct recorder *r, stack_id id, uint64_t nanoseconds)
{
	if (id >= r->sums.count) {
		if (!VEC_RESERVE(&r->sums, &r->arena, id + 1 - r->sums.count))
			return;
		r->sums.count = id + 1;
	}
	r->sums.at[id].samples++;
	r->sums.at[id].nanoseconds += nanoseconds;
}

static void find_stack(struct recorder *r, struct thread *t,
		       const struct record *rec)
{
	callstack_find(&r->callstacks, t, &rec->sample, &r->stack);
	/* The map is not what it should be: a record was lost, say. */
	if (r->stack.reason == UNWIND_NO_CODE &&
	    tasks_refresh(&r->tasks, t->process, rec->time))
		callstack_find(&r->callstacks, t, &rec->sample, &r->stack);
}

static void count_stack(struct recorder *r)
{
	struct recorder_counts *c = &r->counts;

	c->samples++;
	c->recent++;
	c->outgrown += r->stack.outgrown;
	c->inferred += r->stack.inferred > 0;
	c->ends[r->stack.reason]++;
	if (r->stack.reason != UNWIND_COMPLETE)
		r->profile.loss.count[LOSS_STACKS]++;
}

static void use_sample(struct recorder *r, const struct record *rec)
{
	/* Whoever it is of: the next one's time begins here. */
	uint64_t nanoseconds = r->choice.nanoseconds *
			       ticks_take(&r->ticks, &r->arena, rec->cpu,
					  rec->time);
	struct thread *t;
	stack_id stack;
	int64_t *value;

	if (!rec->pid)
		return; /* nobody's: the processor was idle */
	t = tasks_thread(&r->tasks, (pid_t)rec->pid, (pid_t)rec->tid);
	if (!t)
		return;
	/* A process that is about to become the program is none of it. */
	if (!r->interner.no_program && !r->binaries.all.count)
		return;
	find_stack(r, t, rec);
	stack = add_stack(r, t, &rec->sample);
	value = profile_add_sample(&r->profile, stack, labels_of(r, t));
	if (!value)
		return;
	value[0] = 1;
	value[1] = (int64_t)nanoseconds;
	r->profile.time[r->profile.sample_count - 1] = (int64_t)(rec->time -
								 r->start);
	add_to_sums(r, stack, nanoseconds);
	r->counts.nanoseconds += nanoseconds;
	count_stack(r);
}

static void use_record(void *context, const struct record *rec)
{
	struct recorder *r = context;

	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		use_sample(r, rec);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		r->counts.lost += rec->lost;
		break;
	case PERF_RECORD_THROTTLE:
		r->counts.throttled++;
		break;
	default:
		tasks_note(&r->tasks, rec);
		break;
	}
}

void recorder_work(struct recorder *r)
{
	struct batch *b;

	while ((b = batch_take(&r->batches)))
		timeline_add(&r->timeline, b, use_record, r);
}

void recorder_finish(struct recorder *r)
{
	recorder_work(r);
	timeline_finish(&r->timeline, use_record, r);
}

int recorder_flush(struct recorder *r, struct error *err)
{
	struct profile *p = &r->profile;
	int code;

	p->header.duration_nanos = (int64_t)(recorder_now() - r->start);
	p->loss.count[LOSS_SAMPLES] = r->counts.lost;
	p->loss.count[LOSS_THROTTLE] = r->counts.throttled;
	if (r->arena.failed)
		return error_set(err, -ENOMEM, "out of memory");
	code = recording_flush(&r->recording, p, err);
	if (code < 0)
		return code;
	p->sample_count = 0;
	r->recording.next_sample = 0;
	return 0;
}

int recorder_close(struct recorder *r, struct error *err)
{
	int code = recording_end(&r->recording, &r->profile, err);

	if (close(r->fd) < 0 && code == 0)
		code = error_set_errno(err, -errno,
				       "cannot write the recording");
	r->fd = -1;
	return code;
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return r->out.total;
}

void recorder_release(struct recorder *r)
{
	if (r->fd >= 0)
		close(r->fd);
	timeline_release(&r->timeline);
	tasks_release(&r->tasks);
	binaries_release(&r->binaries);
	batches_release(&r->batches);
	arena_release(&r->recording_arena);
	arena_release(&r->arena);
}
