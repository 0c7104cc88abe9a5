/* SPDX-License-Identifier: MIT */
/* wick view: profiles as a page for the browser. */
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sink.h"
#include "cmd/command.h"
#include "export/pair.h"
#include "pprof/savefile.h"
#include "profile/profile.h"
#include "report/open.h"
#include "serve/columns.h"
#include "serve/savedpage.h"
#include "term/message.h"
#include "term/output.h"

static struct {
	const char *save;
	const char *type;
	bool diff;
} opt;

static const struct opt opts[] = {
	OPT_FILE('o', "save", &opt.save, "FILE",
		 "write the page with everything in it to FILE ('-': standard "
		 "output)"),
	OPT_FLAG('d', "diff", &opt.diff,
		 "compare two profiles: red has grown, blue has shrunk"),
	OPT_STRING('t', "type", &opt.type, "TYPE",
		   "compare this sample type, by name or number"),
	OPT_END,
};

/* What the page shows: a profile for each file, or one of two. */
struct pages {
	struct arena arena; /* of what is written */
	VEC(struct saved_profile) list;
};

static int add_page(struct pages *pages, const struct profile *p,
		    const struct columns_options *o, struct error *err)
{
	struct sink bytes = sink_to_memory(&pages->arena);
	struct saved_profile *row = VEC_PUSH(&pages->list, &pages->arena);
	int r = row ? columns_write(p, o, &bytes, err)
		    : error_set(err, -ENOMEM, "out of memory");

	if (r == 0 && sink_flush(&bytes) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		*row = (struct saved_profile){ .name = o->name,
					       .data = sink_bytes(&bytes) };
	return r;
}

static int open_one(struct pages *pages, char *file,
		    const struct open_options *open, struct error *err)
{
	const struct columns_options o = { .name = file, .planes = true };
	struct arena arena = { 0 };
	struct profile p;
	int r = profile_open(&p, &arena, (char *[]){ file, NULL }, open, err);

	if (r == 0)
		r = add_page(pages, &p, &o, err);
	arena_release(&arena);
	return r;
}

static int open_pair(struct pages *pages, char **files,
		     const struct open_options *open, struct error *err)
{
	const struct columns_options o = { .name = files[1],
					   .planes = true,
					   .compare = true };
	struct arena arena = { 0 };
	struct profile before, after, both;
	int r = profile_open(&before, &arena, (char *[]){ files[0], NULL },
			     open, err);

	if (r == 0)
		r = profile_open(&after, &arena, (char *[]){ files[1], NULL },
				 open, err);
	if (r == 0)
		r = profile_pair(&both, &arena,
				 (struct profile *[]){ &before, &after },
				 opt.type, err);
	if (r == 0)
		r = add_page(pages, &both, &o, err);
	arena_release(&arena);
	return r;
}

static int open_all(struct pages *pages, char **files, struct error *err)
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

static int save(const struct pages *pages, struct error *err)
{
	struct arena arena = { 0 };
	struct sink page = sink_to_memory(&arena);
	int r = savedpage_write(pages->list.at, pages->list.count, &page, err);

	if (r == 0 && sink_flush(&page) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0 && !strcmp(opt.save, "-")) {
		sink_span(output_open(OUTPUT_DATA), sink_bytes(&page));
		r = output_close(err);
	} else if (r == 0) {
		r = savefile_write(opt.save, sink_bytes(&page), err);
		if (r == 0 && isatty(STDERR_FILENO))
			message("wrote '%s'; open it in a browser", opt.save);
	}
	arena_release(&arena);
	return r;
}

static int view_run(int argc, char **argv, struct error *err)
{
	struct pages pages = { 0 };
	int r;

	if (!argc)
		return usage_error(err, "which profile?");
	if (opt.diff && argc != 2)
		return usage_error(err,
				   "--diff takes two profiles: OLD and NEW");
	if (!opt.save)
		return usage_error(err, "where to? --save=FILE");
	r = open_all(&pages, argv, err);
	if (r == 0)
		r = save(&pages, err);
	arena_release(&pages.arena);
	return r;
}

const struct command cmd_view = {
	.name = "view",
	.summary = "explore profiles in a browser",
	.usage = "wick view [options] FILE ...",
	.about =
		"Reads profiles of any format that wick knows and makes a page of them: flame "
		"graph, table of functions, call tree, call graph, timeline. Threads, a range "
		"of time, labels and functions can be filtered, and all views follow.",
	.examples =
		"wick view --save=cpu.html cpu.wick\n"
		"wick view --diff --save=diff.html before.pb.gz after.pb.gz\n",
	.opts = opts,
	.operands = ARG_FILE,
	.run = view_run,
};
