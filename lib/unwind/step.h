/* SPDX-License-Identifier: MIT */
#ifndef WICK_UNWIND_STEP_H
#define WICK_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "unwind/rule.h"

/*
 * Why a walk ended.  Everything but UNWIND_COMPLETE means that callers are
 * missing, and is shown to the user.
 */
enum unwind_reason {
	UNWIND_GOING,	   /* not at all: there is a caller */
	UNWIND_COMPLETE,   /* at the thread's first frame */
	UNWIND_TOO_DEEP,   /* no room for more frames */
	UNWIND_NO_RULE,	   /* no table covers the code, and no frame pointer */
	UNWIND_NO_CODE,	   /* the return address is not in code */
	UNWIND_UNREADABLE, /* the stack could not be read there */
	UNWIND_REGISTER,   /* the rule needs a register that is not known */
	UNWIND_STUCK,	   /* the caller's frame is not above this one */
	UNWIND_REASONS,
};

/* A few words for people: "stack not readable". */
const char *unwind_reason_text(enum unwind_reason reason);

/*
 * The memory of the thread that is unwound.  What lies in [lo, lo + len) is
 * read from copy (a snapshot; or, in the process itself, the stack where it
 * is, once its extent is known for sure).  Everything else is asked of read,
 * which must not fault, and may be NULL.  cross, if there is one, is told that
 * the stack goes on at an address elsewhere, before anything there is read.
 */
struct unwind_memory {
	uint64_t lo;
	uint64_t len;
	const uint8_t *copy;
	bool (*read)(void *context, uint64_t addr, uint64_t *value);
	void (*cross)(void *context, uint64_t stack);
	void *context;
};

static inline bool unwind_read(const struct unwind_memory *m, uint64_t addr,
			       uint64_t *value)
{
	uint64_t offset = addr - m->lo;

	if (offset < m->len && m->len - offset >= sizeof(*value)) {
		memcpy(value, m->copy + offset, sizeof(*value));
		return true;
	}
	return m->read && m->read(m->context, addr, value);
}

/* Which registers of struct unwind_regs hold something. */
#define UNWIND_HAS_FP	 1
#define UNWIND_HAS_EXTRA 2

/*
 * The registers of one frame.  all is the whole register file of interrupted
 * code, in DWARF's numbering (17 of x86-64, 32 of aarch64); it is optional,
 * and gone after a step.  extra is rbx on x86-64 and the link register on
 * aarch64.  exact says that pc is the next instruction to run; otherwise it is
 * a return address, and the call is before it.
 */
struct unwind_regs {
	uint64_t pc;
	uint64_t sp;
	uint64_t fp;
	uint64_t extra;
	const uint64_t *all;
	uint8_t n_all;
	uint8_t known; /* UNWIND_HAS_... */
	bool exact;
};

/*
 * Goes to the caller by one rule, which is not UNWIND_NONE; expressions are
 * those of the rule's table.  On anything but UNWIND_GOING regs is unchanged.
 * Return addresses are cut with code_mask, which removes pointer
 * authentication (x86-64: all ones).  Safe anywhere: reads memory only through
 * m, writes only regs.
 */
enum unwind_reason unwind_apply(const struct unwind_rule *rule,
				struct span expressions,
				const struct unwind_memory *m,
				uint64_t code_mask, struct unwind_regs *regs);

/*
 * Goes to the caller by frame pointer.  A guess: the caller says so to users.
 */
enum unwind_reason unwind_by_fp(const struct unwind_memory *m,
				uint64_t code_mask, struct unwind_regs *regs);

#endif /* WICK_UNWIND_STEP_H */
