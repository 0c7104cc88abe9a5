/* SPDX-License-Identifier: MIT */
/*
 * The wick command: run what the command line asks for and turn the result
 * into an exit status.  The only place that prints an error and exits.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cmd/command.h"
#include "cmd/dispatch.h"
#include "term/message.h"
#include "term/pager.h"

/* "did you mean ...?" already says what to do next. */
static void complain(int status, const struct command *c,
		     const struct error *err)
{
	size_t len = strlen(err->text);

	if (!len)
		return;
	if (status != EXIT_USAGE || err->text[len - 1] == '?')
		message("%s", err->text);
	else if (c)
		message("%s; see 'wick %s --help'", err->text, c->name);
	else
		message("%s; see 'wick --help'", err->text);
}

/* Files are mapped; one that somebody writes over is suddenly not there. */
static void on_missing_page(int signal)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	(void)signal;
	/* Of several threads one says it, and ends the others. */
	while (atomic_flag_test_and_set(&said))
		pause();
	message("a file was cut short while it was read");
	_exit(1);
}

/* The write that may not make a file larger fails, and that is said. */
static void on_full_file(int signal)
{
	(void)signal;
}

/* Both end with a program that this one starts; what it was told to ignore,
 * that one will. */
static void catch_signals(void)
{
	const struct sigaction missing = { .sa_handler = on_missing_page };
	const struct sigaction full = { .sa_handler = on_full_file,
					.sa_flags = SA_RESTART };
	struct sigaction before;

	sigaction(SIGBUS, &missing, NULL);
	if (sigaction(SIGXFSZ, NULL, &before) == 0 &&
	    before.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &full, NULL);
}

int main(int argc, char **argv)
{
	const struct command *c;
	struct error err = { 0 };
	int status;

	catch_signals();
	status = dispatch(argc > 0 ? argv + 1 : argv, &c, &err);
	pager_finish();
	if (status)
		complain(status, c, &err);
	return status < 0 ? 1 : status;
}
