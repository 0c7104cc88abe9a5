/* SPDX-License-Identifier: MIT */
/* See signals.h. */
#include "collect/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "collect/program.h"

enum { TICK_MS = 100 };

void signals_watch(struct signals *s)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGCHLD };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, &s->old_mask);
	signal(SIGPIPE, SIG_IGN);
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_unwatch(struct signals *s)
{
	struct signalfd_siginfo info;

	/* What has been dealt with must not kill us now. */
	while (read(s->fd, &info, sizeof(info)) > 0)
		;
	close(s->fd);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

void signals_take(struct signals *s, struct program *p)
{
	struct signalfd_siginfo info;

	while (read(s->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			program_poll(p, false);
			continue;
		}
		s->interrupted = true;
		/* From a terminal the program has got it as well. */
		if (info.ssi_code != SI_KERNEL && p->pid && !p->ended)
			kill(p->pid, (int)info.ssi_signo);
	}
}

void signals_wait(struct signals *s, struct program *p)
{
	struct pollfd fd = { .fd = s->fd, .events = POLLIN };

	program_poll(p, false);
	while (p->pid && !p->ended && !s->interrupted)
		if (poll(&fd, 1, TICK_MS) > 0)
			signals_take(s, p);
}
