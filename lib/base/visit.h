/* SPDX-License-Identifier: MIT */
/*
 * What the command leaves in the memory of a process that runs already, for the
 * agent that it loads there, and what the agent answers.
 */
#ifndef WICK_BASE_VISIT_H
#define WICK_BASE_VISIT_H

#include <stdatomic.h>
#include <stdint.h>

/* How the thread that loads the agent is named: the library then knows that
 * the environment, which is the program's, does not mean it. */
#define VISIT_THREAD "wick-visit"

/* The function of the library that is given a struct visit.  The number
 * changes with the struct: another version's library may be there already. */
#define VISIT_FUNCTION "wick_visit_1"

/* What the library is called, by itself and in the visit's folder. */
#define VISIT_LIBRARY "libwick.so"

/* In the visit's folder: a pipe with a name.  As long as the command has it
 * open, the visit lasts; as long as the agent has, it is not over. */
#define VISIT_DOOR "door"

enum visit_state {
	VISIT_CALLED,  /* a thread of the program is borrowed */
	VISIT_STARTED, /* there is a thread of ours */
	VISIT_RUNS,    /* samples are taken */
	VISIT_FAILED,  /* result and text say why */
};

struct visit {
	_Atomic uint32_t state;	   /* the process writes it */
	_Atomic uint32_t released; /* the command: the block may be unmapped */
	int32_t result;		   /* a negative errno */
	int32_t tid;		   /* of the thread that loads the agent */
	uint32_t hz;
	uint32_t is_first; /* the library was not there before */
	uint64_t block;	   /* the memory that all this is in */
	uint64_t block_size;
	char folder[256]; /* for pieces; in the process's view */
	char text[256];	  /* what the loader said */
};

#endif /* WICK_BASE_VISIT_H */
