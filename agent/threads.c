/* SPDX-License-Identifier: MIT */
/* See threads.h. */
#include "agent/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/guest.h"
#include "agent/state.h"
#include "base/fmt.h"
#include "base/hash.h"
#include "base/span.h"

enum {
	INDEX_SIZE = 4 * THREADS_MAX,
	SETTLED = 100000000,	 /* nanoseconds until a mask is looked at */
	NAME_LASTS = 1000000000, /* nanoseconds that a name is believed */
};

/* As the kernel writes it; <dirent.h> has no name for it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

uint64_t threads_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint32_t *find(const struct threads *t, int32_t tid)
{
	uint32_t i = hash_u64((uint64_t)tid) % INDEX_SIZE;

	while (t->index[i] && agent.threads[t->index[i] - 1].tid != tid)
		i = (i + 1) % INDEX_SIZE;
	return &t->index[i];
}

static void index_again(struct threads *t)
{
	memset(t->index, 0, INDEX_SIZE * sizeof(*t->index));
	for (uint32_t i = 0; i < t->top; i++)
		if (agent.threads[i].tid)
			*find(t, agent.threads[i].tid) = i + 1;
}

static size_t read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	n = n > 0 ? n : 0;
	buf[n] = '\0';
	return (size_t)n;
}

void threads_name(int32_t tid, char name[16])
{
	char path[64];
	char *end;

	fmt_text(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	(void)read_small(path, name, 16);
	end = strchr(name, '\n');
	if (end)
		*end = '\0';
}

static uint32_t free_slot(const struct threads *t)
{
	uint32_t i = 0;

	while (i < t->top && agent.threads[i].tid)
		i++;
	return i;
}

/* Its CPU time so far counts if it began after the captures did. */
static void start_clock(struct threads *t, struct watched *w)
{
	uint64_t cpu;

	w->cpu_last = 0;
	if (w->since < t->born && arm_cpu_time(w->tid, &cpu))
		w->cpu_last = cpu;
}

static void arm_one(struct threads *t, uint32_t slot)
{
	struct watched *w = &agent.threads[slot];

	w->timer = -1;
	w->fd = -1;
	w->checked = false;
	w->blocks = false;
	if (t->arming.period && arm_thread(w, slot, &t->arming) < 0)
		t->refused++;
}

/*
 * Threads mostly name themselves, which is after they are seen, and those that
 * serve others may change their names again and again.
 */
static void name_again(struct watched *w)
{
	uint64_t now = threads_now();
	bool is_young = now - w->since < NAME_LASTS;
	char name[sizeof(w->name)] = "";

	if (now - w->named < (is_young ? SETTLED : NAME_LASTS))
		return;
	w->named = now;
	threads_name(w->tid, name);
	/* One that has just ended keeps the name that it had. */
	if (*name)
		memcpy(w->name, name, sizeof(name));
}

/* Fills a slot for the thread, which nobody watches yet. */
static void begin_slot(struct threads *t, uint32_t slot, int32_t tid)
{
	struct watched *w = &agent.threads[slot];
	uint32_t generation = w->generation + 1;
	uint64_t now = threads_now();

	*w = (struct watched){ .generation = generation,
			       .seen = t->scan,
			       .since = now,
			       .named = now };
	atomic_store_explicit(&w->tid, tid, memory_order_relaxed);
	start_clock(t, w);
	threads_name(w->tid, w->name);
	arm_one(t, slot);
}

static void begin_again(struct threads *t, uint32_t slot)
{
	struct watched *w = &agent.threads[slot];

	arm_remove(w);
	begin_slot(t, slot, w->tid);
}

static void add(struct threads *t, int32_t tid, uint32_t *place)
{
	uint32_t slot = free_slot(t);

	if (slot == THREADS_MAX) {
		t->refused++;
		return;
	}
	begin_slot(t, slot, tid);
	if (slot == t->top)
		t->top++;
	*place = slot + 1;
	t->count++;
}

/*
 * The kernel's list may stop at a thread that ends just then: who was not in it
 * need not have ended.
 */
static bool has_ended(const struct watched *w)
{
	uint64_t cpu;

	return !arm_cpu_time(w->tid, &cpu);
}

/* The number of a thread that has ended may be a new one's already. */
static bool is_another(const struct watched *w)
{
	uint64_t cpu;

	return arm_cpu_time(w->tid, &cpu) && cpu < w->cpu_last;
}

static void take_entry(struct threads *t, const struct entry *e)
{
	int32_t tid = 0;
	struct watched *w;
	uint32_t *place;

	for (const char *c = e->name; *c >= '0' && *c <= '9'; c++)
		tid = tid * 10 + (*c - '0');
	if (tid <= 0 || guest_is(tid))
		return;
	place = find(t, tid);
	if (!*place) {
		add(t, tid, place);
		return;
	}
	w = &agent.threads[*place - 1];
	if (is_another(w)) {
		begin_again(t, *place - 1);
		return;
	}
	w->seen = t->scan;
	name_again(w);
}

static int list(struct threads *t)
{
	char buf[4096] __attribute__((aligned(8)));
	long n;

	if (lseek(t->folder, 0, SEEK_SET) < 0)
		return -errno;
	while ((n = syscall(SYS_getdents64, t->folder, buf, sizeof(buf))) > 0)
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)(buf + at);

			take_entry(t, e);
			at += e->len;
		}
	return n < 0 ? -errno : 0;
}

static void drop_ended(struct threads *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->top; i++) {
		struct watched *w = &agent.threads[i];

		if (!w->tid || w->seen == t->scan)
			continue;
		if (!has_ended(w)) {
			t->cut = true;
			continue;
		}
		arm_remove(w);
		atomic_store_explicit(&w->tid, 0, memory_order_relaxed);
		t->count--;
		any = true;
	}
	while (t->top && !agent.threads[t->top - 1].tid)
		t->top--;
	if (any)
		index_again(t);
}

int threads_scan(struct threads *t)
{
	uint64_t start = threads_now();
	int r;

	if (t->folder < 0)
		t->folder = open("/proc/self/task",
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->folder < 0)
		return -errno;
	t->scan++;
	t->refused = 0;
	t->cut = false;
	r = list(t);
	if (r < 0)
		return r;
	drop_ended(t);
	t->scan_cost = threads_now() - start;
	return 0;
}

static bool same_engine(const struct arming *a, const struct arming *b)
{
	return a->period && b->period && a->engine == b->engine &&
	       a->signal == b->signal;
}

void threads_arm(struct threads *t, const struct arming *how)
{
	bool keep = same_engine(&t->arming, how);

	t->arming = *how;
	for (uint32_t i = 0; i < t->top; i++) {
		struct watched *w = &agent.threads[i];

		if (!w->tid)
			continue;
		if (keep && (w->timer >= 0 || w->fd >= 0) &&
		    arm_change(w, how) == 0)
			continue;
		arm_remove(w);
		arm_one(t, i);
	}
}

/* Whether a bit of a mask in /proc/.../status is set. */
static bool blocks_signal(int32_t tid, int signal)
{
	char text[4096];
	char path[64];
	uint64_t mask = 0;
	const char *at;

	fmt_text(path, sizeof(path), "/proc/self/task/%d/status", tid);
	(void)read_small(path, text, sizeof(text));
	at = strstr(text, "SigBlk:");
	if (!at)
		return false;
	for (at += 7; *at && *at != '\n'; at++) {
		if (*at >= '0' && *at <= '9')
			mask = mask << 4 | (uint64_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			mask = mask << 4 | (uint64_t)(*at - 'a' + 10);
	}
	return mask >> (signal - 1) & 1;
}

static void check_mask(struct threads *t, uint32_t slot, uint64_t now)
{
	struct watched *w = &agent.threads[slot];

	/* A thread is born with all signals blocked. */
	if ((w->checked && !w->blocks) || now - w->since < SETTLED)
		return;
	w->checked = true;
	if (blocks_signal(w->tid, t->arming.signal) == w->blocks)
		return;
	w->blocks = !w->blocks;
	arm_remove(w);
	if (!w->blocks) {
		arm_one(t, slot);
		w->checked = true;
	}
}

uint32_t threads_check_masks(struct threads *t)
{
	uint64_t now = threads_now();
	uint32_t blocked = 0;

	for (uint32_t i = 0; i < t->top; i++) {
		if (!agent.threads[i].tid)
			continue;
		check_mask(t, i, now);
		blocked += agent.threads[i].blocks;
	}
	return blocked;
}
