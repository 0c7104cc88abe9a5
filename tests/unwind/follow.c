/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include <elf.h>
#include <err.h>
#include <string.h>

#include "base/hash.h"

static struct call *top_of(struct follow *f)
{
	return f->count ? &f->calls[f->count - 1] : NULL;
}

static void push_call(struct follow *f, struct call call)
{
	const struct call *top = top_of(f);

	if (f->count == FOLLOW_DEPTH)
		errx(1, "the program's stack is too deep");
	call.hash = hash_mix(hash_mix(top ? top->hash : 0, call.where),
			     call.slot);
	f->calls[f->count++] = call;
}

static uint64_t word_at(struct follow *f, uint64_t addr)
{
	uint64_t value = 0;

	f->target->read(f->target, addr, &value, sizeof(value));
	return value;
}

static bool is_call_x86(const uint8_t *code)
{
	while ((*code >= 0x40 && *code <= 0x4f) || *code == 0x66 ||
	       *code == 0x67 || *code == 0x3e || *code == 0xf2)
		code++;
	return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

static bool is_call_aarch64(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, 4);
	return (word & 0xfc000000) == 0x94000000 ||
	       (word & 0xfffffc1f) == 0xd63f0000;
}

/* The handler has returned when its trampoline runs. */
static void follow_trampoline(struct follow *f, const struct target_state *now)
{
	struct call *top = top_of(f);

	if (top && top->is_signal && now->pc == top->where + 1)
		top->returned = true;
}

/* rt_sigreturn: all up to the signal is over. */
static void drop_signal(struct follow *f)
{
	while (f->count && !f->calls[--f->count].is_signal)
		;
}

/* x86-64: a call is over when the stack pointer is above its slot. */
static void follow_x86(struct follow *f, const struct target_state *before,
		       const struct target_state *now, const uint8_t *code)
{
	uint64_t ra;

	while (f->count && !top_of(f)->is_signal && top_of(f)->slot < now->sp)
		f->count--;
	follow_trampoline(f, now);
	if (code[0] == 0x0f && code[1] == 0x05) {
		if (before->reg[0] == 15)
			drop_signal(f);
		return;
	}
	if (now->sp != before->sp - 8 || !is_call_x86(code))
		return;
	ra = word_at(f, now->sp);
	if (ra - before->pc <= 15)
		push_call(f, (struct call){ .slot = now->sp, .where = ra - 1 });
}

/* aarch64: a call is over when the code behind it runs on the same stack. */
static void follow_aarch64(struct follow *f, const struct target_state *before,
			   const struct target_state *now, const uint8_t *code)
{
	if (before->reg[8] == 139 && !memcmp(code, "\x01\0\0\xd4", 4)) {
		drop_signal(f);
		return;
	}
	if (is_call_aarch64(code)) {
		push_call(f, (struct call){ .slot = before->sp,
					    .where = before->pc + 3 });
		return;
	}
	while (f->count && !top_of(f)->is_signal) {
		const struct call *top = top_of(f);

		if (now->sp < top->slot ||
		    (now->sp == top->slot && now->pc != top->where + 1))
			return;
		f->count--;
	}
	follow_trampoline(f, now);
}

void follow_start(struct follow *f, const struct target_state *s,
		  const uint64_t *pcs, uint32_t n)
{
	f->count = 0;
	/* The outer ones are not left while the function is followed. */
	while (n > 2)
		push_call(f, (struct call){ .slot = UINT64_MAX,
					    .where = pcs[--n] });
	push_call(f, (struct call){ .slot = s->sp, .where = pcs[1] });
}

void follow_step(struct follow *f, const struct target_state *before,
		 const struct target_state *now, const uint8_t *code)
{
	if (f->target->machine == EM_X86_64)
		follow_x86(f, before, now, code);
	else
		follow_aarch64(f, before, now, code);
}

/* The handler runs, and will return through the trampoline. */
void follow_signal(struct follow *f, const struct target_state *before,
		   const struct target_state *now)
{
	uint64_t ra = now->reg[30];

	if (f->target->machine == EM_X86_64)
		ra = word_at(f, now->sp);
	push_call(f, (struct call){ .is_signal = true,
				    .slot = now->sp,
				    .where = ra - 1,
				    .interrupted = before->pc });
}

uint32_t follow_stack(const struct follow *f, const struct target_state *s,
		      uint64_t *pcs)
{
	uint32_t n = 0;

	pcs[n++] = s->pc;
	for (uint32_t i = f->count; i--;) {
		if (!f->calls[i].returned)
			pcs[n++] = f->calls[i].where;
		if (f->calls[i].is_signal)
			pcs[n++] = f->calls[i].interrupted;
	}
	return n;
}

uint64_t follow_key(const struct follow *f, const struct target_state *s)
{
	uint64_t hash = f->count ? f->calls[f->count - 1].hash : 0;

	if (f->count && f->calls[f->count - 1].returned)
		hash++;
	return hash_mix(hash_mix(hash, s->pc), s->sp);
}
