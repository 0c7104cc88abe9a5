/* SPDX-License-Identifier: MIT */
#ifndef WICK_COLLECT_PROGRAM_H
#define WICK_COLLECT_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct error;

/*
 * The program that wick runs.  It waits behind a pipe until the events that
 * watch it are there, so that not one instruction of it is missed.
 */
struct program {
	pid_t pid;  /* 0: none */
	int go;	    /* writing to it lets the program start */
	int failed; /* the errno of its exec, or nothing, can be read here */
	bool let_go;
	bool ended;
	int status; /* as wait(2) says */
	struct rusage used;
};

/*
 * Starts a process that will become argv[0].  mask is the signal mask that it
 * gets.  Returns 0 or a negative errno with a sentence.
 */
int program_prepare(struct program *p, char **argv, const sigset_t *mask,
		    struct error *err);

/* Lets it go.  Returns 0 or a negative errno with a sentence: no such file. */
int program_go(struct program *p, const char *name, struct error *err);

/* Sees whether it has ended; with wait, until it has. */
void program_poll(struct program *p, bool wait);

/*
 * Ends it if it is still there after the recording: politely, then leaves it
 * alone.
 */
void program_end(struct program *p);

/* Its exit status, as a shell would say it; 0 if it was never let go. */
int program_status(const struct program *p);

#endif /* WICK_COLLECT_PROGRAM_H */
