/* SPDX-License-Identifier: MIT */
/*
 * The signal handler.  It interrupts any code whatever, malloc and the dynamic
 * loader included, on any stack, of any thread.  So it takes no lock, calls
 * nothing of libc's but copying and the clock, allocates nothing, uses little
 * of the stack it runs on, and leaves errno as it was.  All signals are
 * blocked meanwhile: nobody can jump out of it.
 */
#include "agent/handler.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "agent/futex.h"
#include "agent/reach.h"
#include "agent/regs.h"
#include "agent/state.h"

struct agent agent;
__thread struct label_block *thread_labels;

/* What our handlers took the place of, by signal; it outlives forks. */
static struct sigaction before[65];

/* In the upper half of what our timers carry; nobody else's value. */
#define COOKIE UINT64_C(0x7769636b)

enum {
	ROUND_BITS = 16, /* of the lower half; the rest is the thread */
};

_Static_assert(THREADS_MAX <= 1 << (32 - ROUND_BITS), "a slot fits a cookie");

/* Why the handler runs. */
struct tick {
	uint32_t thread;
	uint32_t ticks;
	uint32_t round;
	uint8_t cause;
};

void *handler_cookie(uint32_t thread, uint32_t round)
{
	uint32_t low = thread << ROUND_BITS | (round & ((1 << ROUND_BITS) - 1));

	return (void *)(COOKIE << 32 | low);
}

static bool read_cookie(const siginfo_t *info, struct tick *ret)
{
	uint64_t value = (uint64_t)info->si_value.sival_ptr;

	if (value >> 32 != COOKIE)
		return false;
	ret->thread = (uint32_t)value >> ROUND_BITS;
	ret->round = (uint32_t)value & ((1 << ROUND_BITS) - 1);
	return ret->thread < THREADS_MAX;
}

/* Whose clock a descriptor is; false: it is gone, and the signal late. */
static bool read_owner(int fd, uint32_t *thread)
{
	if (fd < 0 || fd >= FDS_MAX || !agent.fd_owner)
		return false;
	*thread = atomic_load_explicit(&agent.fd_owner[fd],
				       memory_order_relaxed);
	return (*thread)-- != 0;
}

/*
 * Whether the signal is ours, and what it stands for: 0 ticks, if it comes
 * from a clock that is no more.
 */
static bool read_tick(const siginfo_t *info, struct tick *ret)
{
	*ret = (struct tick){ .ticks = 1 };
	switch (info->si_code) {
	case SI_TIMER:
		ret->ticks += (uint32_t)info->si_overrun;
		return read_cookie(info, ret);
	case SI_QUEUE:
		ret->cause = CAUSE_LOOK;
		return read_cookie(info, ret);
	case POLL_IN:
	case POLL_HUP:
		/* Nobody else has descriptors that send this signal. */
		ret->ticks = read_owner(info->si_fd, &ret->thread);
		return true;
	case SI_USER:
		/* The kernel had no memory to say more. */
		ret->ticks = 0;
		return !info->si_pid;
	default:
		return false;
	}
}

/* A place to work in; NULL: all are taken. */
static struct workspace *take_workspace(uint32_t start)
{
	for (uint32_t i = 0; i < WORKSPACES; i++) {
		struct workspace *w =
			&agent.workspace[(start + i) % WORKSPACES];
		uint32_t free = 0;

		/* Pairs with give_workspace(): the cache is as it was left. */
		if (atomic_compare_exchange_strong_explicit(
			    &w->busy, &free, 1, memory_order_acquire,
			    memory_order_relaxed))
			return w;
	}
	return NULL;
}

static void give_workspace(struct workspace *w)
{
	atomic_store_explicit(&w->busy, 0, memory_order_release);
}

static uint32_t copy_labels(char *to, const struct label_half *half)
{
	memcpy(to, half->bytes, half->used);
	return half->used;
}

/* The labels of this thread, which cannot change while we run in it. */
static const struct label_half *my_labels(void)
{
	static const struct label_half none;
	const struct label_block *b = thread_labels;

	if (!b)
		return &none;
	return &b->half[atomic_load_explicit(&b->version,
					     memory_order_relaxed) &
			1];
}

static struct sample_record *begin_record(const struct tick *t, size_t bytes)
{
	const struct label_half *labels = my_labels();
	size_t len = sizeof(struct sample_record) + bytes + labels->used;
	struct sample_record *r = (struct sample_record *)ring_reserve(
		&agent.ring, (uint32_t)((len + 7) & ~(size_t)7));

	if (!r)
		return NULL;
	r->thread = t->thread;
	r->ticks = t->ticks;
	r->cause = t->cause;
	r->round = t->round;
	r->mark = atomic_load_explicit(&agent.mark, memory_order_relaxed);
	r->body = (uint32_t)bytes;
	r->label_bytes = (uint16_t)copy_labels((char *)(r + 1) + bytes, labels);
	return r;
}

static bool put_stack(const struct tick *t, const struct workspace *w,
		      const struct unwind_result *found)
{
	size_t bytes = found->count * sizeof(w->pcs[0]);
	struct sample_record *r = begin_record(t, bytes);

	if (!r)
		return false;
	r->reason = (uint8_t)found->reason;
	r->count = found->count;
	memcpy(r + 1, w->pcs, bytes);
	ring_commit(&r->head, RECORD_STACK);
	return true;
}

/* For the agent to unwind, when it has read what we may not, or lack. */
static bool put_raw(const struct tick *t, const struct workspace *w,
		    struct reach *reach, const struct unwind_memory *m)
{
	uint32_t len = m->len && m->len < RAW_MAX ? (uint32_t)m->len & ~7u
						  : RAW_MAX;
	struct sample_record *r = begin_record(t, sizeof(w->regs) + len);
	uint8_t *at = (uint8_t *)(r + 1);

	if (!r)
		return false;
	r->pc = reach->pc;
	r->sp = reach->sp;
	memcpy(at, w->regs, sizeof(w->regs));
	r->count = reach_copy_stack(reach, at + sizeof(w->regs), len);
	ring_commit(&r->head, RECORD_RAW);
	return true;
}

/* Whether the agent could do better than we did, once it has read more. */
static bool lacks_tables(const struct code_view *view, const uint64_t *pcs,
			 const struct unwind_result *found)
{
	if (found->reason == UNWIND_COMPLETE && !found->guessed)
		return false;
	if (found->reason == UNWIND_NO_CODE)
		return true;
	for (uint32_t i = 0; i < found->count; i++)
		if (code_is_unread(view, pcs[i]) || !code_has(view, pcs[i]))
			return true;
	return false;
}

static bool take_sample(const struct tick *t, const void *ucontext,
			struct workspace *w)
{
	struct unwind_walker walker = {
		.cache = &w->cache,
		.code_mask = regs_code_mask,
		.machine = regs_machine,
	};
	struct unwind_result found;
	struct unwind_regs regs;
	struct reach reach;
	const struct code_view *view;
	uint32_t token;
	bool done;

	view = code_enter(&agent.code, &token);
	if (!view) {
		code_leave(&agent.code, token);
		return false;
	}
	regs_of(ucontext, w->regs, &regs);
	reach_of(&reach, view, regs.pc, regs.sp, &walker.memory);
	walker.map = &view->map;
	found = unwind_walk(&walker, regs, w->pcs, DEPTH_MAX);
	if (reach.refused || lacks_tables(view, w->pcs, &found))
		done = put_raw(t, w, &reach, &walker.memory);
	else
		done = put_stack(t, w, &found);
	code_leave(&agent.code, token);
	return done;
}

static void count(_Atomic uint64_t *counter, uint64_t add)
{
	atomic_fetch_add_explicit(counter, add, memory_order_relaxed);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Lets the agent read before the ring is full. */
static void hurry(void)
{
	if (ring_used(&agent.ring) < RING_SIZE / 2)
		return;
	if (atomic_exchange_explicit(&agent.hurry, 1, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&agent.wake, 1, memory_order_relaxed);
	futex_wake(&agent.wake);
}

static void on_tick(const struct tick *t, const void *ucontext)
{
	struct workspace *w;
	uint64_t start;

	/* A signal may come after the end: it stands for nothing. */
	if (!t->ticks ||
	    !atomic_load_explicit(&agent.sampling, memory_order_acquire))
		return;
	start = now();
	w = take_workspace(t->thread);
	if (w && take_sample(t, ucontext, w))
		count(&agent.counts.samples, 1);
	else
		count(&agent.counts.lost, t->ticks);
	if (w)
		give_workspace(w);
	hurry();
	count(&agent.counts.nanos, now() - start);
}

bool handler_is_harmless(int signal)
{
	return signal == SIGURG || signal == SIGWINCH;
}

/* Somebody's signal does what it always did: the process ends by it. */
static void die_of(int signal)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };

	if (handler_is_harmless(signal))
		return;
	sigaction(signal, &dfl, NULL);
	/* It is blocked here, and comes when the handler returns. */
	(void)syscall(SYS_tgkill, getpid(), gettid(), signal);
}

/* Gives a signal that is not ours to whom it was for. */
static void pass_on(int signal, siginfo_t *info, void *ucontext)
{
	const struct sigaction *old = &before[signal];
	const ucontext_t *uc = ucontext;
	sigset_t mask;

	count(&agent.counts.foreign, 1);
	if (old->sa_handler == SIG_IGN)
		return;
	if (old->sa_handler == SIG_DFL) {
		die_of(signal);
		return;
	}
	sigorset(&mask, &uc->uc_sigmask, &old->sa_mask);
	if (!(old->sa_flags & SA_NODEFER))
		sigaddset(&mask, signal);
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(signal, info, ucontext);
	else
		old->sa_handler(signal);
}

static void on_signal(int signal, siginfo_t *info, void *ucontext)
{
	int saved = errno;
	struct tick t;

	if (read_tick(info, &t))
		on_tick(&t, ucontext);
	else
		pass_on(signal, info, ucontext);
	errno = saved;
}

bool handler_is_installed(int signal)
{
	struct sigaction now_set;

	return sigaction(signal, NULL, &now_set) == 0 &&
	       (now_set.sa_flags & SA_SIGINFO) &&
	       now_set.sa_sigaction == on_signal;
}

bool handler_is_free(int signal)
{
	struct sigaction set;

	return sigaction(signal, NULL, &set) == 0 &&
	       !(set.sa_flags & SA_SIGINFO) &&
	       (set.sa_handler == SIG_DFL || set.sa_handler == SIG_IGN);
}

int handler_install(int signal)
{
	struct sigaction set = { .sa_sigaction = on_signal,
				 .sa_flags = SA_SIGINFO | SA_RESTART |
					     SA_ONSTACK };
	struct sigaction old;

	if (handler_is_installed(signal))
		return 0;
	/* Also the two that libc keeps for itself: cancelling must wait. */
	memset(&set.sa_mask, 0xff, sizeof(set.sa_mask));
	if (sigaction(signal, NULL, &old) < 0)
		return -errno;
	/* A handler that chains to us must never be chained to by us. */
	before[signal] = old;
	return sigaction(signal, &set, NULL) < 0 ? -errno : 0;
}
