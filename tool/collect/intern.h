/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_INTERN_H
#define WICK_COLLECT_INTERN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/table.h"
#include "profile/profile.h"

struct binaries;
struct process;

/*
 * From addresses of processes to locations of the profile.  Addresses are the
 * binaries' own, so that processes which run the same program, wherever it was
 * loaded, share their locations.
 */
struct interner {
	struct profile *profile;
	struct binaries *binaries;
	struct table index;   /* of locations, by mapping and address */
	mapping_id kernel;    /* 0: not in use so far */
	bool no_program;      /* no one file stands for what is recorded */
	VEC(pid_t) anonymous; /* whose code is in no file, by mapping_id */
};

/* The location of code in a process; 0: no memory. */
location_id intern_user(struct interner *n, struct process *p, uint64_t pc);

/* The location of code in the kernel; 0: no memory. */
location_id intern_kernel(struct interner *n, uint64_t pc);

#endif /* WICK_COLLECT_INTERN_H */
