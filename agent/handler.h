/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_HANDLER_H
#define WICK_AGENT_HANDLER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/ring.h"

enum record_kind {
	RECORD_STACK = 1, /* addresses */
	RECORD_RAW,	  /* registers and a copy of the stack */
};

/* Why a record was made. */
enum record_cause {
	CAUSE_CPU,  /* CPU time has passed */
	CAUSE_LOOK, /* the agent asked for the stack */
};

/*
 * What the handler leaves.  Behind it: of RECORD_STACK count addresses; of
 * RECORD_RAW the registers (REGS_MAX words) and count bytes of stack from sp
 * on.  Labels follow after body bytes.
 */
struct sample_record {
	struct ring_record head;
	uint32_t thread; /* index of its slot */
	uint32_t ticks;	 /* periods that it stands for */
	uint32_t mark;
	uint16_t label_bytes;
	uint8_t cause;	/* enum record_cause */
	uint8_t reason; /* enum unwind_reason */
	uint32_t count; /* of addresses, or of bytes of stack */
	uint32_t body;	/* bytes before the labels */
	uint32_t round; /* CAUSE_LOOK: which look */
	uint64_t pc;	/* RECORD_RAW */
	uint64_t sp;
};

/*
 * Takes over the signal; what was there before is kept and gets the signals
 * that are not ours.  0 or a negative errno.  Never undone: a signal may still
 * be on its way when sampling ends.
 */
int handler_install(int signal);

/* Whether our handler is the one that the signal has now. */
bool handler_is_installed(int signal);

/*
 * Whether the signal does nothing where it has no handler.  One may be pending
 * when the process becomes another program by exec(), which has none.
 */
bool handler_is_harmless(int signal);

/* Whether nobody but us has a use for the signal. */
bool handler_is_free(int signal);

/* The value that timers carry, and what the agent's own requests do. */
void *handler_cookie(uint32_t thread, uint32_t round);

#endif /* WICK_AGENT_HANDLER_H */
