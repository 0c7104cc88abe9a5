/* SPDX-License-Identifier: MIT */
/* See verbs.h. */
#include "pprof/verbs.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/sink.h"

#define NOTHING false
#define REGEX	true

const struct verb verbs[] = {
#define VERB(name_, report_, picture_, extension_, viewer_, takes_, summary_, \
	     usage_) \
	{ \
		.name = (name_), \
		.report = (report_), \
		.picture = (picture_), \
		.extension = (extension_), \
		.viewer = (viewer_), \
		.takes_regex = takes_, \
		.summary = (summary_), \
		.usage = usage_, \
	},
#include "pprof/rows.inc"
};
const unsigned verb_count = ARRAY_SIZE(verbs);

const struct verb *verb_find(const char *name)
{
	for (unsigned i = 0; i < verb_count; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

#define FILTERS \
	"Include samples matching focus_regex, and exclude ignore_regex."
#define SAVED "Optionally save the report on the file f"

/* The first line goes behind the command's name. */
static const char *const usages[][5] = {
	[USAGE_TOP] = { " [n] [focus_regex]* [-ignore_regex]* [-cum] >f",
			"Include up to n samples", FILTERS,
			"-cum sorts the output by cumulative weight", SAVED },
	[USAGE_GRAPH] = { " [n] [focus_regex]* [-ignore_regex]* >f",
			  "Include up to n samples", FILTERS, SAVED },
	[USAGE_SHOWN] = { " [n] [focus_regex]* [-ignore_regex]*",
			  "Include up to n samples", FILTERS },
	[USAGE_LIST] = { " regex|address [focus_regex]* [-ignore_regex]*",
			 "Shows functions that match regex or hold address.",
			 FILTERS },
	[USAGE_LIST_SAVED] = { " regex|address [focus_regex]* "
			       "[-ignore_regex]* >f",
			       "Shows functions that match regex or hold "
			       "address.",
			       FILTERS, SAVED },
	[USAGE_PEEK] = { " regex",
			 "Shows who calls the functions that match regex, "
			 "and whom they call." },
	[USAGE_TAGS] = { " [tag_regex]* [-ignore_regex]* >f",
			 "Shows tags whose key:value matches tag_regex, "
			 "and not ignore_regex.",
			 SAVED },
};

void verb_help(const struct verb *v, struct sink *out)
{
	const char *const *line = v->usage < ARRAY_SIZE(usages)
					  ? usages[v->usage]
					  : NULL;

	sink_char(out, (char)toupper((unsigned char)v->summary[0]));
	sink_format(out, "%s\n", v->summary + 1);
	if (line && line[0]) {
		sink_format(out, "  Usage:\n    %s%s\n", v->name, line[0]);
		for (unsigned i = 1; i < 5 && line[i]; i++)
			sink_format(out, "    %s\n", line[i]);
	}
	sink_char(out, '\n');
}
