/* SPDX-License-Identifier: MIT */
/*
 * Functions known by name.  The list is short on purpose: a program may call
 * its own functions anything, so only names that are a system's or a
 * language's own are here, and those a program might well use are weak.
 */
#include "unwind/names.h"

#include <string.h>

#include "unwind/compile.h"
#include "unwind/golang.h"
#include "unwind/guess.h"

enum meaning { STARTS, SWITCHES, RETURNS_FROM_SIGNAL };

struct known_name {
	const char *name;
	enum meaning meaning;
	bool weak; /* the code's own description, if any, is better */
};

static const struct known_name known_names[] = {
	{ "_start", STARTS, true },
	{ "_dl_start_user", STARTS, true },
	{ "__clone", STARTS, true },
	{ "clone", STARTS, true },
	{ "__clone3", STARTS, true },
	{ "__restore_rt", RETURNS_FROM_SIGNAL, true },
	{ "__kernel_rt_sigreturn", RETURNS_FROM_SIGNAL, false },
	/* Go describes these as if they had callers on the same stack. */
	{ "runtime.goexit", STARTS, false },
	{ "runtime.goexit.abi0", STARTS, false },
	{ "runtime.mstart", STARTS, false },
	{ "runtime.mstart.abi0", STARTS, false },
	{ "runtime.rt0_go", STARTS, false },
	{ "runtime.rt0_go.abi0", STARTS, false },
	{ "runtime.mcall", STARTS, false },
	{ "runtime.morestack", STARTS, false },
	{ "runtime.morestack.abi0", STARTS, false },
	{ "runtime.systemstack", SWITCHES, false },
	{ "runtime.systemstack.abi0", SWITCHES, false },
	{ "runtime.asmcgocall", SWITCHES, false },
	{ "runtime.asmcgocall.abi0", SWITCHES, false },
	{ "runtime.sigreturn", RETURNS_FROM_SIGNAL, false },
	{ "runtime.sigreturn.abi0", RETURNS_FROM_SIGNAL, false },
	{ "runtime.sigreturn__sigaction", RETURNS_FROM_SIGNAL, false },
	{ "runtime.sigreturn__sigaction.abi0", RETURNS_FROM_SIGNAL, false },
};

static struct unwind_rule rule_for(enum meaning meaning, uint16_t machine)
{
	switch (meaning) {
	case SWITCHES:
		return go_switch_rule(machine);
	case RETURNS_FROM_SIGNAL:
		return unwind_signal_rule(machine);
	default:
		return (struct unwind_rule){ .kind = UNWIND_END };
	}
}

bool unwind_name_hint(const char *name, uint16_t machine,
		      struct unwind_hint *hint)
{
	/* Nearly every name differs from all of these in the first letter. */
	if (*name != '_' && *name != 'c' && *name != 'r')
		return false;
	for (size_t i = 0; i < sizeof(known_names) / sizeof(*known_names);
	     i++) {
		const struct known_name *known = &known_names[i];

		if (strcmp(known->name, name) != 0)
			continue;
		*hint = (struct unwind_hint){
			.lo = -(uint64_t)(known->meaning ==
					  RETURNS_FROM_SIGNAL),
			.rule = rule_for(known->meaning, machine),
			.weak = known->weak,
		};
		return true;
	}
	return false;
}
