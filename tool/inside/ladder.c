/* SPDX-License-Identifier: MIT */
/* See ladder.h. */
#include "inside/ladder.h"

#include "base/error.h"
#include "collect/collect.h"
#include "inside/inside.h"
#include "inside/running.h"
#include "term/message.h"

int ladder_collect(const struct collect_options *o, struct collect_result *ret,
		   struct error *err)
{
	bool refused = o->inside;
	int r = 0;

	if (!refused)
		r = collect(o, ret, &refused, err);
	if (o->inside && o->pids)
		return collect_running(o, ret, err);
	if (!refused || !o->argv)
		return r;
	if (!o->inside && !o->quiet)
		message("%s; recording from inside the program instead",
			err->text);
	return collect_inside(o, ret, err);
}
