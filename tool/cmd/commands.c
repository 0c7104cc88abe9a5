/* SPDX-License-Identifier: MIT */
/* The one list of commands, in the order in which --help shows them. */
#include <stddef.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/suggest.h"

const struct command *const commands[] = {
	&cmd_record,  &cmd_report,     &cmd_view,      &cmd_flame,  &cmd_pprof,
	&cmd_diff,    &cmd_convert,    &cmd_symbolize, &cmd_doctor, &cmd_help,
	&cmd_version, &cmd_completion, NULL,
};

const struct command *command_find(const char *name, struct error *err)
{
	struct suggestion near = { .typed = name };

	for (const struct command *const *c = commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		suggest_offer(&near, (*c)->name);
	}
	if (near.best)
		error_set(err, -EINVAL,
			  "unknown command '%s'; did you mean '%s'?", name,
			  near.best);
	else
		error_set(err, -EINVAL, "unknown command '%s'", name);
	return NULL;
}
