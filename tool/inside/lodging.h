/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_LODGING_H
#define WICK_INSIDE_LODGING_H

#include <sys/types.h>

struct error;

enum { LODGING_PATH = 64 };

/*
 * A folder with the agent's library in it, where a process can load it from and
 * leave its pieces.  {-1, -1} is none.
 */
struct lodging {
	int parent;		 /* the folder that it is in */
	int fd;			 /* itself */
	char root[LODGING_PATH]; /* the process's; "" if it is ours */
	char path[LODGING_PATH]; /* in the process's view */
	char here[LODGING_PATH]; /* in ours, also when the process has ended */
};

/*
 * Makes one for processes that see the files that process pid does, and have
 * its rights; 0: ours.  Returns 0, or a negative errno with a sentence.  Call
 * lodging_remove() in either case.
 */
int lodging_make(struct lodging *l, pid_t pid, struct error *err);

/* Removes it with all that is in it. */
void lodging_remove(struct lodging *l);

#endif /* WICK_INSIDE_LODGING_H */
