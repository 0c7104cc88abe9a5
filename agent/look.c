/* SPDX-License-Identifier: MIT */
/* See look.h. */
#include "agent/look.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/arm.h"
#include "agent/drain.h"
#include "agent/handler.h"
#include "agent/intake.h"
#include "agent/peek.h"
#include "agent/regs.h"
#include "agent/state.h"
#include "agent/threads.h"
#include "base/fmt.h"

enum {
	STACK_BYTES = 64 * 1024, /* of a waiting thread that are looked at */
	GUESSES = 64,
};

/* The sampler's, between rounds. */
static struct {
	uint32_t round;
	uint32_t waiting; /* threads that were asked and have not answered */
	struct capture *captures;
	struct capture *one;
	uint8_t stack[STACK_BYTES] __attribute__((aligned(8)));
} look;

static bool read_word(void *context, uint64_t addr, uint64_t *value)
{
	(void)context;
	return peek_word(addr, value);
}

/*
 * The frame pointer of a thread that waits is not to be had from outside.
 * Where code needs it, it is found on the stack: it points to a saved one with
 * a return address behind, from which the rest of the stack can be unwound.
 */
static struct drained walk_by_guess(struct unwind_regs regs,
				    const struct unwind_memory *m)
{
	struct drained first = drain_walk(regs, m);
	unsigned tries = 0;

	for (size_t at = 0; first.cut && at + 16 <= m->len; at += 8) {
		struct unwind_regs more = regs;
		struct drained d;
		uint64_t ra;

		memcpy(&ra, m->copy + at + 8, sizeof(ra));
		if (!code_find(&agent.code, ra - 1))
			continue;
		if (tries++ == GUESSES)
			break;
		more.fp = regs.sp + at;
		more.known = UNWIND_HAS_FP;
		d = drain_walk(more, m);
		if (!d.cut)
			return d;
	}
	return first.cut ? drain_walk(regs, m) : first;
}

static struct drained unwind_waiting(uint64_t pc, uint64_t sp)
{
	struct unwind_memory memory = {
		.lo = sp,
		.len = peek(sp, look.stack, STACK_BYTES) & ~(size_t)7,
		.copy = look.stack,
		.read = read_word,
	};
	struct unwind_regs regs = { .pc = pc, .sp = sp, .exact = true };

	return walk_by_guess(regs, &memory);
}

static uint64_t last_number(const char *text, const char **end)
{
	uint64_t value = 0;
	const char *at = strrchr(text, ' ');

	*end = at;
	if (!at || at[1] != '0' || at[2] != 'x')
		return 0;
	for (at += 3; *at; at++) {
		char c = *at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
	}
	return value;
}

/* Where a thread waits: false if it does not, or nobody may know. */
static bool read_waiting(int32_t tid, uint64_t *pc, uint64_t *sp)
{
	char path[64];
	char text[256];
	const char *end;
	ssize_t n;
	int fd;

	fmt_text(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	*pc = last_number(text, &end);
	if (!end)
		return false;
	text[end - text] = '\0';
	*sp = last_number(text, &end);
	return *pc && *sp;
}

static void give(const struct taken *t)
{
	if (look.one) {
		intake_add(look.one, t, &agent.code);
		return;
	}
	for (struct capture *c = look.captures; c; c = c->next)
		if (c->options.clock == CAPTURE_WALL)
			intake_add(c, t, &agent.code);
}

/* The labels of another thread, if it does not change them meanwhile. */
static uint32_t copy_labels(int32_t tid, char *to)
{
	for (uint32_t i = 0; agent.labels && i < LABEL_THREADS; i++) {
		struct label_block *b = &agent.labels[i];
		uint32_t version = atomic_load(&b->version);
		uint32_t used = b->half[version & 1].used;

		if (atomic_load(&b->tid) != tid || used > LABEL_BYTES)
			continue;
		memcpy(to, b->half[version & 1].bytes, used);
		return atomic_load(&b->version) == version ? used : 0;
	}
	return 0;
}

static bool ask(uint32_t slot, int signal)
{
	siginfo_t info = {
		.si_signo = signal,
		.si_code = SI_QUEUE,
	};

	info.si_value.sival_ptr = handler_cookie(slot, look.round);
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), agent.threads[slot].tid,
		       signal, &info) == 0;
}

/* Whether all who ask know the thread's stack, and it has not run since. */
static bool has_not_run(struct watched *w, uint32_t slot)
{
	uint64_t cpu;
	bool same;

	if (!arm_cpu_time(w->tid, &cpu))
		return false;
	same = w->looked && cpu == w->looked_cpu;
	w->looked_cpu = cpu;
	if (look.one)
		return false;
	for (const struct capture *c = look.captures; c && same; c = c->next)
		if (c->options.clock == CAPTURE_WALL && !intake_knows(c, slot))
			same = false;
	return same;
}

static void repeat(uint32_t slot, uint64_t nanos)
{
	for (struct capture *c = look.captures; c; c = c->next)
		if (c->options.clock == CAPTURE_WALL)
			intake_repeat(c, slot, nanos);
}

static void look_at(uint32_t slot, int signal)
{
	struct watched *w = &agent.threads[slot];
	uint64_t now = threads_now();
	bool idle = has_not_run(w, slot);
	char labels[LABEL_BYTES];
	struct taken t = { .thread = slot, .labels = labels };
	struct drained d;
	uint64_t pc, sp;

	t.nanos = w->looked ? now - w->looked : 0;
	w->pending += t.nanos;
	w->looked = now;
	if (idle) {
		repeat(slot, w->pending);
		w->pending = 0;
		return;
	}
	w->asked = 0;
	if (!read_waiting(w->tid, &pc, &sp)) {
		if (!w->blocks && ask(slot, signal)) {
			w->asked = look.round;
			look.waiting++;
		}
		return;
	}
	d = unwind_waiting(pc, sp);
	t.nanos = w->pending;
	w->pending = 0;
	t.pcs = d.pcs;
	t.count = d.count;
	t.cut = d.cut;
	t.mark = agent.mark;
	t.label_bytes = copy_labels(w->tid, labels);
	give(&t);
}

static void look_round(const struct threads *t, int signal)
{
	/* 0 stands for none, also in 16 bits. */
	if (!(++look.round & UINT16_MAX))
		look.round++;
	look.waiting = 0;
	for (uint32_t i = 0; i < t->top; i++)
		if (agent.threads[i].tid)
			look_at(i, signal);
}

void look_all(struct capture *captures, const struct threads *t, int signal)
{
	look.captures = captures;
	look.one = NULL;
	look_round(t, signal);
}

void look_for(struct capture *one, const struct threads *t, int signal)
{
	look.one = one;
	look_round(t, signal);
}

void look_answer(const struct sample_record *r, uint32_t kind)
{
	struct watched *w = &agent.threads[r->thread];
	struct drained d = drain_stack(r, kind);
	struct taken t = {
		.pcs = d.pcs,
		.count = d.count,
		.cut = d.cut,
		.thread = r->thread,
		.nanos = w->pending,
		.labels = (const char *)(r + 1) + r->body,
		.label_bytes = r->label_bytes,
		.mark = r->mark,
	};

	/* The thread has been seen elsewhere since. */
	if (!w->asked || r->round != (w->asked & UINT16_MAX))
		return;
	w->asked = 0;
	w->pending = 0;
	if (look.waiting)
		look.waiting--;
	give(&t);
}

bool look_is_waiting(void)
{
	return look.waiting != 0;
}

void look_done(struct capture *captures)
{
	look.captures = captures;
	look.one = NULL;
	look.waiting = 0;
}
