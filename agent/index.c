/* SPDX-License-Identifier: MIT */
/*
 * The page at /debug/pprof/.  Its links are relative, so that it can stand
 * below a token or wherever a program mounts it.
 */
#include <unistd.h>

#include "agent/pages.h"
#include "base/markup.h"
#include "base/sink.h"

static const struct {
	const char *link;
	const char *text;
	const char *what;
} rows[] = {
	{ "flame?seconds=5", "flame graph",
	  "where the CPU time of the next 5 seconds goes, to click through" },
	{ "flame?seconds=5&amp;clock=wall", "flame graph of all time",
	  "the same with the time in which threads wait" },
	{ "profile?seconds=30&amp;format=pprof", "profile",
	  "30 seconds of CPU time as a file for <code>go tool pprof</code> or "
	  "<code>wick</code>" },
	{ "profile?seconds=5&amp;format=text", "top",
	  "the functions that take most of the next 5 seconds, as text" },
	{ "profile?seconds=5&amp;format=folded", "folded stacks",
	  "5 seconds as text for flame graph scripts" },
	{ "threads?debug=2", "threads", "the stack of every thread now" },
	{ "threads?debug=1", "threads, counted",
	  "the same, equal stacks together" },
	{ "cmdline", "cmdline", "the command line of this process" },
	{ "symbol", "symbol", "names of addresses, for tools that ask" },
	{ "../../metrics", "metrics",
	  "what the profiler has done, and what it costs, for Prometheus" },
};

void index_write(struct sink *out, const char *host)
{
	sink_format(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<title>/debug/pprof/</title>\n<style>"
		"body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;"
		"margin:2rem auto;padding:0 1rem}"
		"td{padding:.2rem 1.5rem .2rem 0;vertical-align:top}"
		"td:first-child{white-space:nowrap}"
		"pre{overflow-x:auto}</style>\n</head>\n<body>\n"
		"<h1>/debug/pprof/</h1>\n<p>Process %d, profiled by wick.</p>\n"
		"<table>\n",
		(int)getpid());
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		sink_format(
			out,
			"<tr><td><a href=\"%s\">%s</a></td><td>%s</td></tr>\n",
			rows[i].link, rows[i].text, rows[i].what);
	sink_text(
		out,
		"</table>\n<p><code>format=pprof|svg|html|folded|text</code> says "
		"what a profile is sent as, <code>seconds=N</code> how "
		"long it takes, <code>hz=N</code> how often threads are "
		"looked at.</p>\n<pre>go tool pprof http://");
	sink_markup(out, span_text(host), 100);
	sink_text(out, "/debug/pprof/profile?seconds=5</pre>\n</body>\n"
		       "</html>\n");
}
