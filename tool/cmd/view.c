/* SPDX-License-Identifier: MIT */
/* wick view: profiles as a page for the browser. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fmt.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "cmd/servepage.h"
#include "export/pair.h"
#include "pprof/savefile.h"
#include "profile/profile.h"
#include "report/open.h"
#include "serve/columns.h"
#include "serve/savedpage.h"
#include "serve/sourcecode.h"
#include "term/message.h"
#include "term/output.h"

enum { SOURCES_MOST = 1 << 20 }; /* before they are compressed */

static struct {
	const char *save;
	const char *type;
	const char *source_path;
	unsigned port;
	bool no_open;
	bool diff;
} opt;

static const struct opt opts[] = {
	OPT_GROUP("What is shown"),
	OPT_FLAG('d', "diff", &opt.diff,
		 "compare two profiles: red has grown, blue has shrunk"),
	OPT_STRING('t', "type", &opt.type, "TYPE",
		   "compare this sample type, by name or number"),
	OPT_VALUE('s', "source-path", &opt.source_path, "DIR[:DIR...]",
		  ARG_DIRECTORY,
		  "where source files are, instead of the current folder"),
	OPT_GROUP("How"),
	OPT_UINT(0, "port", &opt.port, "PORT",
		 "serve at this port instead of a free one"),
	OPT_FLAG(0, "no-open", &opt.no_open, "do not open a browser"),
	OPT_FILE('o', "save", &opt.save, "FILE",
		 "write the page with everything in it to FILE ('-': standard "
		 "output) instead of serving it"),
	OPT_END,
};

static int open_one(struct page_list *pages, char *file,
		    const struct open_options *open, struct error *err)
{
	const struct columns_options o = { .name = file,
					   .planes = opt.save != NULL };
	struct profile *p = ARENA_NEW(&pages->arena, struct profile);
	int r = p ? profile_open(p, &pages->arena, (char *[]){ file, NULL },
				 open, err)
		  : error_set(err, -ENOMEM, "out of memory");

	return r < 0 ? r : page_list_add(pages, p, &o, err);
}

static int open_pair(struct page_list *pages, char **files,
		     const struct open_options *open, struct error *err)
{
	struct columns_options o = { .name = files[1],
				     .planes = opt.save != NULL,
				     .compare = true };
	struct profile *p = ARENA_ARRAY(&pages->arena, struct profile, 3);
	int r = p ? 0 : error_set(err, -ENOMEM, "out of memory");

	for (int i = 0; i < 2 && r == 0; i++) {
		r = profile_open(&p[i], &pages->arena,
				 (char *[]){ files[i], NULL }, open, err);
		if (r == 0)
			o.counts[i] = profile_samples(&p[i]);
	}
	if (r == 0)
		r = profile_pair(&p[2], &pages->arena,
				 (struct profile *[]){ &p[0], &p[1] }, opt.type,
				 err);
	return r < 0 ? r : page_list_add(pages, &p[2], &o, err);
}

static int open_all(struct page_list *pages, char **files, struct error *err)
{
	char buf[512];
	struct sink talk = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));
	const struct open_options open = { .talk = &talk };
	int r = 0;

	if (opt.diff)
		r = open_pair(pages, files, &open, err);
	for (; !opt.diff && *files && r == 0; files++)
		r = open_one(pages, *files, &open, err);
	(void)sink_flush(&talk); /* remarks are a courtesy */
	return r;
}

/* The sources that a page without a server may carry. */
static struct span sources_of(const struct served_profile *p,
			      struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	struct error err;
	const struct source_request q = {
		.profile = p->profile,
		.source_path = opt.source_path,
		.most = SOURCES_MOST,
	};

	/* A page without any is a page still. */
	if (p->places.len > SAVEDPAGE_PLACES_MOST ||
	    sourcecode_write(&q, &out, &err) < 0)
		return (struct span){ 0 };
	return sink_bytes(&out);
}

/* The page as one file. */
static int write_page(const struct page_list *pages, struct arena *arena,
		      struct span *ret, struct error *err)
{
	struct sink page = sink_to_memory(arena);
	struct saved_profile *list = ARENA_ARRAY(arena, struct saved_profile,
						 pages->list.count);
	int r;

	if (!list)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < pages->list.count; i++)
		list[i] = (struct saved_profile){
			.name = pages->list.at[i].name,
			.data = pages->list.at[i].columns,
			.places = pages->list.at[i].places,
			.sources = sources_of(&pages->list.at[i], arena),
		};
	r = savedpage_write(list, pages->list.count, &page, err);
	if (r == 0 && sink_flush(&page) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	*ret = sink_bytes(&page);
	return r;
}

static int save(const struct page_list *pages, struct error *err)
{
	struct arena arena = { 0 };
	struct span page;
	int r = write_page(pages, &arena, &page, err);

	if (r == 0 && !strcmp(opt.save, "-")) {
		sink_span(output_open(OUTPUT_DATA), page);
		r = output_close(err);
	} else if (r == 0) {
		r = savefile_write(opt.save, page, err);
		if (r == 0 && isatty(STDERR_FILENO))
			message("wrote '%s'; open it in a browser", opt.save);
	}
	arena_release(&arena);
	return r;
}

static int serve(const struct page_list *pages, struct error *err)
{
	char address[32];
	const struct serve_options o = {
		.address = address,
		.source_path = opt.source_path,
		.browser = !opt.no_open,
	};

	fmt_text(address, sizeof(address), "127.0.0.1:%u", opt.port);
	return servepage(pages, &o, err);
}

static int view_run(int argc, char **argv, struct error *err)
{
	struct page_list pages = { 0 };
	int r;

	if (!argc)
		return usage_error(err, "which profile?");
	if (opt.diff && argc != 2)
		return usage_error(err,
				   "--diff takes two profiles: OLD and NEW");
	if (opt.port > 65535)
		return usage_error(err, "a port is a number up to 65535");
	r = open_all(&pages, argv, err);
	if (r == 0)
		r = opt.save ? save(&pages, err) : serve(&pages, err);
	arena_release(&pages.arena);
	return r;
}

const struct command cmd_view = {
	.name = "view",
	.summary = "explore profiles in a browser",
	.usage = "wick view [options] FILE ...",
	.about =
		"Reads profiles of any format that wick knows and serves a page of them to "
		"this machine alone, until it is interrupted: flame graph, table of functions, "
		"call tree, call graph, source, timeline. Threads, a range of time, labels and "
		"functions can be filtered, and all views follow.",
	.examples = "wick view cpu.wick\n"
		    "wick view --save=cpu.html cpu.wick\n"
		    "wick view --diff before.pb.gz after.pb.gz\n",
	.opts = opts,
	.operands = ARG_FILE,
	.run = view_run,
};
