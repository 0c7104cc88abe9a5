/* SPDX-License-Identifier: MIT */
/*
 * The agent's sampling thread.  It alone knows threads, code and captures:
 * others send requests, handlers fill the ring.  So there is no lock that a
 * handler, a stop or a fork could meet.
 */
#include "agent/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agent/arm.h"
#include "agent/drain.h"
#include "agent/futex.h"
#include "agent/handler.h"
#include "agent/intake.h"
#include "agent/look.h"
#include "agent/output.h"
#include "agent/peek.h"
#include "agent/pieces.h"
#include "agent/state.h"
#include "agent/threads.h"
#include "agent/toggle.h"
#include "base/check.h"

#define MILLIS UINT64_C(1000000)

enum {
	DRAIN_EVERY = 50,  /* milliseconds */
	SCAN_EVERY = 20,   /* for threads that nobody told us of */
	SCAN_RARELY = 250, /* where pthread_create() tells */
	CHECK_EVERY = 200, /* who has our signal now, who blocks it */
	MAPS_EVERY = 1000,
	MANY = 1000,   /* threads */
	SLOWDOWN = 50, /* scans take at most a fiftieth of the time */
};

/* The sampler's own memory between its rounds. */
struct sampler {
	struct capture *captures;
	struct threads threads;
	uint64_t next_drain;
	uint64_t next_scan;
	uint64_t next_check;
	uint64_t next_maps;
	uint64_t next_look;
	uint64_t lost_signals; /* bit n: somebody took signal n from us */
};

static struct sampler sampler;

static void *map_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* A child has no use for it, and must not pay for it. */
	(void)madvise(p, size, MADV_DONTFORK);
	return p;
}

static int map_all(void)
{
	if (agent.workspace)
		return 0;
	agent.threads = map_memory(THREADS_MAX * sizeof(*agent.threads));
	agent.fd_owner = map_memory(FDS_MAX * sizeof(*agent.fd_owner));
	sampler.threads.index = map_memory(4 * THREADS_MAX * sizeof(uint32_t));
	sampler.threads.folder = -1;
	if (!agent.threads || !agent.fd_owner || !sampler.threads.index ||
	    ring_map(&agent.ring, RING_SIZE) < 0)
		return -ENOMEM;
	agent.workspace = map_memory(WORKSPACES * sizeof(*agent.workspace));
	if (!agent.workspace)
		return -ENOMEM;
	for (unsigned i = 0; i < WORKSPACES; i++)
		unwind_cache_init(&agent.workspace[i].cache,
				  agent.workspace[i].slots,
				  sizeof(agent.workspace[i].slots));
	return 0;
}

/* The first thread's stack, which has no control block at its end. */
static void find_first_stack(void)
{
	const struct code *c = &agent.code;
	const uint64_t depth = 64 << 20; /* no mapping is that near to it */
	/* The kernel puts these bytes there, before the program starts. */
	const uint64_t in_it = getauxval(AT_RANDOM);

	for (uint32_t i = 0; i < c->extents.count; i++) {
		const struct code_extent *e = &c->extents.at[i];

		if (e->lo <= in_it && in_it < e->hi) {
			agent.stack_end = e->hi;
			agent.stack_low = e->hi - depth;
		}
	}
}

static int refresh_code(void)
{
	uint64_t start = threads_now();
	int r = code_refresh(&agent.code);

	if (!agent.stack_end)
		find_first_stack();
	agent.code.read_nanos = threads_now() - start;
	sampler.next_maps = start + MAPS_EVERY * MILLIS +
			    SLOWDOWN * agent.code.read_nanos;
	agent.modules = agent.code.maps.count;
	return r;
}

static uint64_t scan_every(void)
{
	return agent.told && !sampler.threads.cut ? SCAN_RARELY : SCAN_EVERY;
}

static void scan(void)
{
	uint64_t now = threads_now();

	atomic_store_explicit(&agent.scan_now, 0, memory_order_relaxed);
	/* Where /proc is not to be had, nobody new is found. */
	(void)threads_scan(&sampler.threads);
	sampler.next_scan = now + scan_every() * MILLIS +
			    SLOWDOWN * sampler.threads.scan_cost;
	agent.watched = sampler.threads.count;
	agent.unwatched = sampler.threads.refused;
}

/* A signal that nobody else uses; 0: there is none. */
static int choose_signal(void)
{
	const int wanted[] = { agent.wanted_signal, SIGURG, SIGWINCH, SIGPROF,
			       SIGSTKFLT };

	for (unsigned i = 0; i < ARRAY_SIZE(wanted); i++) {
		int s = wanted[i];

		if (s <= 0 || s > 64 || sampler.lost_signals >> s & 1)
			continue;
		if (handler_is_installed(s) || handler_is_free(s) ||
		    s == agent.wanted_signal)
			return s;
		atomic_fetch_add_explicit(&agent.conflicts, 1,
					  memory_order_relaxed);
		sampler.lost_signals |= UINT64_C(1) << s;
	}
	return 0;
}

static int take_signal(struct arming *how)
{
	int r;

	how->signal = choose_signal();
	if (!how->signal)
		return -EBUSY;
	r = handler_install(how->signal);
	if (r == 0)
		agent.signal = (uint32_t)how->signal;
	return r;
}

/* The settings that the captures that run need; period 0: no clocks. */
static int settings(struct arming *how)
{
	int r;

	*how = (struct arming){ 0 };
	for (const struct capture *c = sampler.captures; c; c = c->next)
		if (c->options.clock == CAPTURE_CPU &&
		    (!how->period || c->period < how->period))
			how->period = c->period;
	if (!how->period)
		return 0;
	how->engine = agent.wanted_engine ? agent.wanted_engine
					  : arm_choose(how->period);
	r = take_signal(how);
	/* Of timers the kernel forgets what is pending at exec(). */
	if (r == 0 && !handler_is_harmless(how->signal))
		how->engine = ENGINE_TIMERS;
	return r;
}

static int rearm(void)
{
	struct arming how;
	int r = settings(&how);

	if (r < 0)
		return r;
	agent.hz = how.period ? (uint32_t)(1000000000 / how.period) : 0;
	agent.engine = how.engine;
	if (!how.period && sampler.captures)
		agent.engine = ENGINE_LOOK;
	threads_arm(&sampler.threads, &how);
	for (struct capture *c = sampler.captures; c; c = c->next)
		c->engine = c->options.clock == CAPTURE_WALL ? ENGINE_LOOK
							     : how.engine;
	return 0;
}

static void check_signal(void)
{
	int signal = sampler.threads.arming.signal;

	sampler.next_check = threads_now() + CHECK_EVERY * MILLIS;
	if (!sampler.threads.arming.period)
		return;
	agent.unwatched = sampler.threads.refused +
			  threads_check_masks(&sampler.threads);
	if (handler_is_installed(signal))
		return;
	atomic_fetch_add_explicit(&agent.conflicts, 1, memory_order_relaxed);
	sampler.lost_signals |= UINT64_C(1) << signal;
	/* Without a signal the clocks go, and the captures stay short. */
	if (rearm() < 0)
		threads_arm(&sampler.threads, &(struct arming){ 0 });
}

static uint64_t clock_nanos(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t agent_cpu(void)
{
	uint64_t a = 0, b = 0;

	(void)arm_cpu_time(agent.sampler.tid, &a);
	(void)arm_cpu_time(agent.worker.tid, &b);
	return a + b;
}

/* What threads have used since their last sample is not this capture's. */
static void open_accounts(struct capture *c)
{
	for (uint32_t i = 0; i < sampler.threads.top; i++) {
		struct watched *w = &agent.threads[i];
		uint64_t cpu;

		if (!w->tid || !arm_cpu_time(w->tid, &cpu))
			continue;
		if (!sampler.captures) {
			w->cpu_last = cpu;
			w->pending = 0;
			w->looked = 0;
		}
		c->accounts[i] = (struct account){
			.generation = w->generation,
			.debt = c->options.clock == CAPTURE_CPU
					? cpu - w->cpu_last
					: 0,
			.left = (cpu ^ c->began) % c->period,
		};
	}
}

static void start_time(struct capture *c)
{
	c->began = threads_now();
	c->began_real = (int64_t)clock_nanos(CLOCK_REALTIME);
	c->cpu_began = clock_nanos(CLOCK_PROCESS_CPUTIME_ID);
	c->cpu_agent = agent_cpu();
	c->lost = agent.counts.lost;
}

static void link_capture(struct capture *c)
{
	c->next = sampler.captures;
	sampler.captures = c;
	agent.captures++;
	/* Pairs with the handler's load: what it uses is there. */
	atomic_store_explicit(&agent.sampling, true, memory_order_release);
}

static void unlink_capture(struct capture *c)
{
	struct capture **at = &sampler.captures;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	agent.captures--;
}

/* Nothing runs any more: no clock, no signal, little memory. */
static void rest(void)
{
	if (sampler.captures)
		return;
	atomic_store_explicit(&agent.sampling, false, memory_order_release);
	drain_discard();
	ring_rest(&agent.ring);
}

static int begin(struct capture *c)
{
	int r = refresh_code();

	if (r < 0)
		return r;
	if (!sampler.captures)
		sampler.threads.born = UINT64_MAX;
	else
		drain(sampler.captures, sampler.threads.arming.period);
	scan();
	r = intake_begin(c, &agent.code);
	if (r < 0)
		return r;
	/* The first thread's name is the process's. */
	if (c->options.process)
		threads_name(agent.pid, c->process);
	start_time(c);
	open_accounts(c);
	sampler.threads.born = c->began;
	link_capture(c);
	r = rearm();
	if (r < 0) {
		unlink_capture(c);
		(void)rearm();
		rest();
	}
	sampler.next_check = threads_now() + CHECK_EVERY * MILLIS;
	sampler.next_look = c->began;
	return r;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static int end(struct capture *c)
{
	uint64_t cpu;

	drain(sampler.captures, sampler.threads.arming.period);
	drain_rest(c, sampler.threads.top);
	unlink_capture(c);
	look_done(sampler.captures);
	c->ended = threads_now();
	c->lost = agent.counts.lost - c->lost;
	cpu = clock_nanos(CLOCK_PROCESS_CPUTIME_ID) - c->cpu_began;
	cpu = less(cpu, agent_cpu() - c->cpu_agent);
	if (c->options.clock == CAPTURE_CPU)
		c->unsampled = less(cpu, c->given);
	atomic_fetch_add_explicit(&agent.unsampled, c->unsampled,
				  memory_order_relaxed);
	intake_end(c);
	/* Removing clocks cannot fail, and setting slower ones may. */
	(void)rearm();
	rest();
	return c->arena.failed ? -ENOMEM : 0;
}

static int look_once(struct capture *c)
{
	int r = refresh_code();
	struct arming how = { 0 };

	if (r == 0)
		r = intake_begin(c, &agent.code);
	if (r < 0)
		return r;
	start_time(c);
	scan();
	r = take_signal(&how);
	if (r < 0)
		return r;
	atomic_store_explicit(&agent.sampling, true, memory_order_release);
	look_for(c, &sampler.threads, how.signal);
	/* Threads that run answer when they are next scheduled. */
	for (unsigned i = 0; i < 100 && look_is_waiting(); i++) {
		futex_wait(&agent.wake, agent.wake, 2 * MILLIS);
		drain(sampler.captures, sampler.threads.arming.period);
	}
	look_done(sampler.captures);
	c->ended = threads_now();
	intake_end(c);
	rest();
	return c->arena.failed ? -ENOMEM : 0;
}

static void serve(struct request *r)
{
	switch (r->kind) {
	case REQUEST_BEGIN:
		r->result = begin(r->capture);
		break;
	case REQUEST_END:
		r->result = end(r->capture);
		break;
	case REQUEST_LOOK:
		r->result = look_once(r->capture);
		break;
	}
	/* Pairs with the load in sampler_ask(). */
	atomic_store_explicit(&r->done, 1, memory_order_release);
	futex_wake(&r->done);
}

/* The oldest is served first. */
static void serve_all(void)
{
	struct request *list = atomic_exchange_explicit(&agent.requests, NULL,
							memory_order_acquire);
	struct request *turned = NULL;

	while (list) {
		struct request *next = list->next;

		list->next = turned;
		turned = list;
		list = next;
	}
	while (turned) {
		/* Whoever asked may be gone with it once it is done. */
		struct request *next = turned->next;

		serve(turned);
		turned = next;
	}
}

static bool has_wall(void)
{
	for (const struct capture *c = sampler.captures; c; c = c->next)
		if (c->options.clock == CAPTURE_WALL)
			return true;
	return false;
}

static uint64_t wall_period(void)
{
	uint64_t period = UINT64_MAX;

	for (const struct capture *c = sampler.captures; c; c = c->next)
		if (c->options.clock == CAPTURE_WALL && c->period < period)
			period = c->period;
	return period;
}

static void look_round(uint64_t now)
{
	struct arming how = { 0 };

	if (!has_wall() || now < sampler.next_look)
		return;
	sampler.next_look += wall_period();
	if (sampler.next_look < now)
		sampler.next_look = now + wall_period();
	if (take_signal(&how) == 0)
		look_all(sampler.captures, &sampler.threads, how.signal);
}

/*
 * Slots of threads that have ended are given to others by a scan, and what
 * threads answer is for the look before: the ring is emptied first.
 */
static void drain_in_time(uint64_t now, bool scans)
{
	if (now < sampler.next_drain && !scans && !has_wall() &&
	    ring_used(&agent.ring) < RING_SIZE / 4)
		return;
	drain(sampler.captures, sampler.threads.arming.period);
	/* Asking each of thousands is left to scans, which take their time. */
	if (scans || sampler.threads.count < MANY)
		drain_ended(sampler.captures, sampler.threads.top);
	sampler.next_drain = now + DRAIN_EVERY * MILLIS;
}

/* One turn of the loop while something is captured. */
static void round_once(void)
{
	uint64_t now = threads_now();
	bool scans = agent.scan_now || now >= sampler.next_scan;

	atomic_store_explicit(&agent.hurry, 0, memory_order_relaxed);
	drain_in_time(now, scans);
	look_round(now);
	if (drain_wants_maps() || now >= sampler.next_maps)
		(void)refresh_code();
	if (scans)
		scan();
	if (now >= sampler.next_check)
		check_signal();
	code_collect(&agent.code);
	agent.bytes = agent.code.arena.mapped + RING_SIZE;
}

static uint64_t pause_nanos(void)
{
	uint64_t pause = DRAIN_EVERY * MILLIS;
	uint64_t now = threads_now();

	if (!sampler.captures)
		return 0;
	if (sampler.next_scan < now + pause)
		pause = sampler.next_scan > now ? sampler.next_scan - now : 1;
	if (has_wall() && sampler.next_look < now + pause)
		pause = sampler.next_look > now ? sampler.next_look - now : 1;
	return pause;
}

static void sampler_run(void *context)
{
	(void)context;
	/* A thread before this one had its own descriptors. */
	sampler.threads.folder = -1;
	peek_open();
	while (!agent.leaving) {
		uint32_t word = atomic_load_explicit(&agent.wake,
						     memory_order_acquire);

		serve_all();
		if (sampler.captures)
			round_once();
		futex_wait(&agent.wake, word, pause_nanos());
	}
}

void sampler_poke(void)
{
	atomic_fetch_add_explicit(&agent.wake, 1, memory_order_release);
	futex_wake(&agent.wake);
}

void sampler_seek_threads(void)
{
	if (!atomic_load_explicit(&agent.sampling, memory_order_relaxed))
		return;
	/* Whoever has asked before has poked. */
	if (!atomic_exchange_explicit(&agent.scan_now, 1, memory_order_relaxed))
		sampler_poke();
}

void sampler_leave(void)
{
	const unsigned forever = ~0u;

	futex_lock(&agent.start_lock);
	/* Both look at it each time that they are woken. */
	atomic_store_explicit(&agent.leaving, true, memory_order_release);
	sampler_poke();
	output_poke();
	(void)guest_wait(&agent.sampler, forever);
	(void)guest_wait(&agent.worker, forever);
	atomic_store_explicit(&agent.leaving, false, memory_order_release);
	futex_unlock(&agent.start_lock);
}

/* In the child of a fork. */
static void after_fork(void)
{
	sampler_forget();
	toggle_forget();
	pieces_forget();
}

static int start_locked(void)
{
	static bool registered; /* libc's list is inherited, too */
	int r;

	if (atomic_load_explicit(&agent.sampler.running, memory_order_acquire))
		return 0;
	r = map_all();
	if (r == 0 && !registered)
		r = -pthread_atfork(NULL, NULL, after_fork);
	if (r < 0)
		return r;
	registered = true;
	agent.pid = getpid();
	agent.sampler.run = sampler_run;
	memcpy(agent.sampler.name, "wick-sampler", sizeof("wick-sampler"));
	return guest_start(&agent.sampler);
}

int sampler_start(void)
{
	int r;

	/* The child of a fork that libc did not see. */
	if (agent.pid && agent.pid != getpid())
		after_fork();
	futex_lock(&agent.start_lock);
	r = start_locked();
	futex_unlock(&agent.start_lock);
	return r;
}

int sampler_ask(struct request *r)
{
	r->next = atomic_load_explicit(&agent.requests, memory_order_relaxed);
	/* Pairs with serve_all(). */
	while (!atomic_compare_exchange_weak_explicit(&agent.requests, &r->next,
						      r, memory_order_release,
						      memory_order_relaxed))
		;
	sampler_poke();
	while (!atomic_load_explicit(&r->done, memory_order_acquire))
		futex_wait(&r->done, 0, 0);
	return r->result;
}

void sampler_forget(void)
{
	const int wanted_signal = agent.wanted_signal;
	const enum capture_engine wanted_engine = agent.wanted_engine;
	const bool is_asked_for = agent.is_asked_for;

	/* What arenas hold is the parent's, shared, and left alone. */
	memset(&agent, 0, sizeof(agent));
	agent.wanted_signal = wanted_signal;
	agent.wanted_engine = wanted_engine;
	agent.is_asked_for = is_asked_for;
	sampler = (struct sampler){ .threads.folder = -1 };
	thread_labels = NULL;
	guest_forget();
}
