/* SPDX-License-Identifier: MIT */
#ifndef WICK_AGENT_LOOK_H
#define WICK_AGENT_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct sample_record;
struct threads;

/*
 * Looking at all threads at a moment: for wall-clock time, and to show where
 * each is.  A thread that waits in the kernel is unwound from outside, so that
 * its call is not disturbed; one that runs is sent a signal and answers
 * through the ring.  The sampler's thread only.
 */

/*
 * Looks at all threads, for those of the captures that count wall-clock time.
 */
void look_all(struct capture *captures, const struct threads *t, int signal);

/* Looks at all threads for one capture that is in no list. */
void look_for(struct capture *one, const struct threads *t, int signal);

/* Takes the answer of a thread that was asked. */
void look_answer(const struct sample_record *r, uint32_t kind);

/* Whether answers to look_for() are still to come. */
bool look_is_waiting(void);

/*
 * Answers that come later are for those of the captures that count wall-clock
 * time: another one is about to go.
 */
void look_done(struct capture *captures);

#endif /* WICK_AGENT_LOOK_H */
