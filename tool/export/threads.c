/* SPDX-License-Identifier: MIT */
/* See threads.h. */
#include "export/threads.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "profile/profile.h"
#include "report/view.h"

/* Keys that tell threads apart, of names first: a name may be several's. */
static const char *const keys[] = {
	"thread", "thread_name", "comm", "tid", "thread_id", "thread id",
};

static bool has_key(const struct profile *p, const char *key)
{
	str_id id = strtab_find(p->strings, key, strlen(key));

	for (uint32_t i = 0; i < p->label_sets.labels.count; i++)
		if (p->label_sets.labels.at[i].key == id)
			return true;
	return false;
}

int threads_as_roots(struct view *view, const struct profile *p,
		     struct arena *arena, struct error *err)
{
	struct sink list = sink_to_memory(arena);
	bool any = false;

	if (view->tagroot && *view->tagroot)
		sink_format(&list, "%s,", view->tagroot);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!has_key(p, keys[i]))
			continue;
		sink_format(&list, "%s%s", any ? "," : "", keys[i]);
		any = true;
	}
	sink_char(&list, '\0');
	if (!any)
		return error_set(
			err, -ENODATA,
			"the profile does not say which thread its samples are of");
	if (list.error)
		return error_set(err, -ENOMEM, "out of memory");
	view->tagroot = list.buf;
	return 0;
}
