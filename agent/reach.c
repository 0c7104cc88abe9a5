/* SPDX-License-Identifier: MIT */
/*
 * See reach.h.  Bound by the handler's rules.  Where the end of a stack is not
 * known for sure, the kernel is asked whether a page is there, by a call that
 * is allowed everywhere and does nothing: rt_sigprocmask() with an unknown
 * operation reads its argument and refuses.
 */
#include "agent/reach.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/state.h"

enum { PAGE = 4096 };

/*
 * The part of the stack that is surely there: from the stack pointer to the
 * end of the mapping, or, in threads that libc made, to the thread's control
 * block, which lies at the top of the stack.
 */
static uint64_t find_stack_end(const struct reach *r)
{
	if (r->top > r->sp && code_extent_end(r->view, r->sp, r->top))
		return r->top;
	if (r->sp < agent.stack_end && r->sp >= agent.stack_low)
		return agent.stack_end;
	return 0;
}

/*
 * How much of a stack whose end is not known may be looked at: no more than its
 * mapping has, as far as that was there when mappings were last read.
 */
static uint64_t find_room(const struct reach *r)
{
	uint64_t end = code_extent_end(r->view, r->sp, r->sp);

	if (!end)
		end = (r->sp | (PAGE - 1)) + 1;
	return end - r->sp < RAW_MAX ? end - r->sp : RAW_MAX;
}

/* Whether the thread itself is using what is there. */
static bool is_ours(const struct reach *r, uint64_t addr)
{
	if (addr / PAGE == r->pc / PAGE)
		return true;
	if (addr - r->sp < r->room)
		return true;
	/* The thread's own stack, left for the one that signals have. */
	if (addr >= agent.stack_low && addr < agent.stack_end)
		return true;
	return code_extent_end(r->view, r->top, addr) ||
	       (r->other && code_extent_end(r->view, r->other, addr));
}

static bool is_there(struct reach *r, uint64_t addr)
{
	const int no_operation = -1;
	uint64_t page = addr / PAGE;

	/* User addresses are below; those above 56 bits carry tags. */
	if (!page || addr >> 56)
		return false;
	if (page == r->good)
		return true;
	if (syscall(SYS_rt_sigprocmask, no_operation, page * PAGE, NULL,
		    sizeof(uint64_t)) == 0 ||
	    errno != EINVAL)
		return false;
	r->good = page;
	return true;
}

static bool may_read(struct reach *r, uint64_t addr)
{
	if (is_ours(r, addr))
		return is_there(r, addr);
	r->refused = true;
	return false;
}

static bool read_word(void *context, uint64_t addr, uint64_t *value)
{
	struct reach *r = context;
	const uint64_t last = addr + sizeof(*value) - 1;

	if (last < addr || !may_read(r, addr) || !may_read(r, last))
		return false;
	memcpy(value, (const void *)addr, sizeof(*value));
	return true;
}

static void cross(void *context, uint64_t stack)
{
	struct reach *r = context;

	r->other = stack;
}

void reach_of(struct reach *r, const struct code_view *view, uint64_t pc,
	      uint64_t sp, struct unwind_memory *m)
{
	uint64_t block = (uint64_t)__builtin_thread_pointer();
	uint64_t end;

	/* The block goes on behind where it is pointed to; so does its page. */
	*r = (struct reach){ .view = view,
			     .pc = pc,
			     .sp = sp,
			     .top = (block + PAGE) & ~(uint64_t)(PAGE - 1) };
	*m = (struct unwind_memory){ .read = read_word,
				     .cross = cross,
				     .context = r };
	end = find_stack_end(r);
	if (!end) {
		r->room = find_room(r);
		return;
	}
	r->stack_known = true;
	m->lo = sp;
	m->len = end - sp;
	m->copy = (const uint8_t *)sp;
}

/*
 * Not memcpy(): in a host that was built with a sanitizer that is the host's,
 * and minds what is between the variables of a stack.
 */
static void copy_words(uint8_t *to, uint64_t from, uint32_t len)
{
	const volatile uint64_t *words = (const volatile uint64_t *)from;

	for (uint32_t i = 0; i < len / 8; i++)
		((uint64_t *)to)[i] = words[i];
}

uint32_t reach_copy_stack(struct reach *r, uint8_t *to, uint32_t len)
{
	uint32_t done = 0;

	if (r->sp % 8)
		return 0;
	if (r->stack_known) {
		copy_words(to, r->sp, len);
		return len;
	}
	if (len > r->room)
		len = (uint32_t)r->room & ~7u;
	while (done < len) {
		uint64_t at = r->sp + done;
		uint32_t step = PAGE - (uint32_t)(at % PAGE);

		if (step > len - done)
			step = len - done;
		if (!is_there(r, at))
			break;
		copy_words(to + done, at, step);
		done += step;
	}
	return done;
}
