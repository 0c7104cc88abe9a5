/* SPDX-License-Identifier: MIT */
/*
 * wick pprof: pprof's command line and prompt.  The rows are tool/pprof's own,
 * which the shell and its completion use, too.
 */
#include "pprof/pprof.h"

#include <stddef.h>
#include <string.h>

#include "base/fmt.h"
#include "cmd/command.h"
#include "cmd/helptext.h"
#include "cmd/servepage.h"
#include "pprof/arguments.h"
#include "pprof/fetch.h"
#include "serve/columns.h"

static const struct opt opts[] = {
	OPT_GROUP("Formats, at most one"),
#define VERB(name_, report_, picture_, extension_, viewer_, takes_, summary_, \
	     usage_) \
	OPT_ROW(name_, takes_, summary_),
#define NOTHING NULL, ARG_NONE
#define REGEX	"REGEX", ARG_TEXT
#include "pprof/rows.inc"
	OPT_GROUP("Options, which the prompt has as well"),
#define OPTION(name_, kind_, field_, argument_, value_, url_, saved_, \
	       summary_, more_) \
	OPTION_##kind_(name_, argument_, value_, summary_)
#define CHOICE(option_, name_, summary_, more_) \
	OPT_ROW(name_, NULL, ARG_NONE, summary_),
#define OPTION_ROW(name_, argument_, value_, summary_) \
	OPT_ROW(name_, argument_, value_, summary_),
#define OPTION_FLAG_BOOL	OPTION_ROW
#define OPTION_FLAG_INT		OPTION_ROW
#define OPTION_FLAG_REAL	OPTION_ROW
#define OPTION_FLAG_TEXT	OPTION_ROW
#define OPTION_FLAG_CHOICE(...) /* its choices are flags, it is none */
#include "pprof/rows.inc"
	OPT_GROUP("Sources"),
#define SOURCE_FLAG(name_, kind_, field_, argument_, value_, summary_) \
	OPT_ROW(name_, argument_, value_, summary_),
#include "pprof/rows.inc"
	OPT_END,
};

/* pprof's "host:" and ":" are any free port. */
static void put_address(char *buf, size_t size, const char *http)
{
	size_t len = strlen(http);

	fmt_text(buf, size, "%s%s", http,
		 len && http[len - 1] == ':' ? "0" : "");
}

/* The page of "wick view", at pprof's addresses. */
static int serve(const struct arguments *a, struct error *err)
{
	char address[256];
	const struct serve_options o = {
		.address = address,
		.source_path = a->config.view.source_path,
		.browser = !a->no_browser,
		.open_to_all = true,
	};
	const struct columns_options columns = { .name = a->sources[0] };
	struct page_list pages = { 0 };
	struct fetched f = { 0 };
	int r = fetch(&f, a, err);

	put_address(address, sizeof(address), a->http);
	if (r == 0)
		r = page_list_add(&pages, f.profile, &columns, err);
	if (r == 0)
		r = servepage(&pages, &o, err);
	arena_release(&pages.arena);
	fetched_release(&f);
	return r;
}

static int run(int argc, char **argv, struct error *err)
{
	struct arguments a;
	int r = arguments_parse(&a, argv, err);

	(void)argc;
	if (a.wants_help)
		return helptext_print(&cmd_pprof, err);
	if (a.wants_usage)
		helptext_complain(&cmd_pprof);
	if (r < 0)
		return EXIT_USAGE;
	if (a.http[0])
		return serve(&a, err);
	return pprof_run(&a, err);
}

const struct command cmd_pprof = {
	.name = "pprof",
	.summary = "report on a profile as pprof does, or at its prompt",
	.usage = "wick pprof [format] [options] [program] source ...",
	.about = "A source is a file, - for standard input, or the address of "
		 "a server: host:port, http://..., https://..., unix:/socket. "
		 "Several are added up. Without a format wick reads commands "
		 "from a prompt.",
	.examples = "  wick pprof -top cpu.pb.gz\n"
		    "  wick pprof -list=Handle ./server cpu.prof\n"
		    "  wick pprof -top -diff_base=old.pb.gz new.pb.gz\n"
		    "  wick pprof -seconds=5 localhost:6060\n",
	.opts = opts,
	.operands = ARG_FILE,
	.style = OPT_STYLE_GO,
	.run = run,
};
