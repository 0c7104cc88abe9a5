/* SPDX-License-Identifier: MIT */
/* See fetch.h. */
#include "pprof/fetch.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "pprof/arguments.h"
#include "pprof/savefile.h"
#include "pprof/symbolize.h"
#include "pprof/talk.h"
#include "profile/relabel.h"
#include "profile/scale.h"
#include "report/prune.h"
#include "report/team.h"

/* One of the two sets, loaded by a thread of its own. */
struct job {
	struct input_set *set;
	const struct arguments *arguments;
	const char *const *names;
	unsigned count;
	int result;
	struct error err;
};

static void *load(void *arg)
{
	struct job *j = arg;

	j->result = input_set_load(j->set, j->arguments, j->names, j->count,
				   &j->err);
	return NULL;
}

/* Servers measure while they are asked: source and base at the same time. */
static void load_both(struct job *sources, struct job *bases)
{
	pthread_t thread;
	bool started = bases->count &&
		       !pthread_create(&thread, NULL, load, bases);

	load(sources);
	if (started)
		pthread_join(thread, NULL);
	else if (bases->count)
		load(bases);
}

static void say_missing(const struct input_set *set, const char *what)
{
	if (set->loaded < set->count)
		talk("Fetched %u %s profiles out of %u", set->loaded, what,
		     set->count);
}

static int load_sets(struct fetched *f, const struct arguments *a,
		     struct error *err)
{
	const char *base = a->base[0] ? a->base : a->diff_base;
	struct job sources = {
		.set = &f->sources,
		.arguments = a,
		.names = (const char *const *)a->sources,
		.count = a->source_count,
	};
	struct job bases = {
		.set = &f->bases,
		.arguments = a,
		.names = &base,
		.count = base[0] != '\0',
	};
	struct job *failed;

	load_both(&sources, &bases);
	failed = sources.result < 0 ? &sources : &bases;
	if (failed->result < 0) {
		*err = failed->err;
		return failed->result;
	}
	say_missing(&f->sources, "source");
	say_missing(&f->bases, "base");
	return 0;
}

static int subtract(struct fetched *f, const struct arguments *a,
		    struct error *err)
{
	struct profile *base = f->bases.profile;
	struct profile *both[] = { f->sources.profile, base };
	int r = 0;

	if (a->diff_base[0] && profile_set_label(base, "pprof::base", "true"))
		return error_set(err, -ENOMEM, "out of memory");
	if (a->config.normalize)
		r = profile_normalize(f->sources.profile, base, err);
	if (r == 0 && profile_negate(base) < 0)
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = profiles_combine(both, 2, &f->difference, &f->profile, err);
	return r;
}

/* Servers' addresses of both sets. */
static int join_origins(struct fetched *f)
{
	for (uint32_t i = 0; i < f->bases.origins.rows.count; i++) {
		struct origin *row = VEC_PUSH(&f->sources.origins.rows,
					      &f->sources.arena);

		if (!row)
			return -ENOMEM;
		*row = f->bases.origins.rows.at[i];
	}
	return 0;
}

static int refine(struct fetched *f, const struct arguments *a,
		  struct error *err)
{
	struct profile *p = f->profile;
	str_id *comment;
	int r;

	if (a->all_frames) {
		p->header.drop_frames = 0;
		p->header.keep_frames = 0;
	}
	r = join_origins(f);
	if (r < 0)
		return error_set(err, r, "out of memory");
	r = symbolize(p, a, &f->sources.origins, err);
	if (r < 0)
		return r;
	/* pprof has no remark about expressions that are none. */
	if (profile_remove_uninteresting(p, NULL) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	origins_forget(p);
	if (!a->comment[0])
		return 0;
	comment = VEC_PUSH(&p->comments, p->arena);
	if (!comment)
		return error_set(err, -ENOMEM, "out of memory");
	*comment = strtab_add_text(p->strings, a->comment);
	return 0;
}

#define PREFIX_MAX 200

/* "pprof.server.samples.cpu.".  The names come from a server: they may not
 * lead to another folder, nor make a name that no file can have. */
static const char *saved_prefix(const struct profile *p, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	char *text;
	const char *file = "";

	if (p->mappings.count > 1)
		file = profile_text(p, p->mappings.at[1].file);
	sink_text(&out, "pprof.");
	if (file[0])
		sink_format(&out, "%s.",
			    strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	for (uint32_t i = 0; i < p->types.count; i++)
		sink_format(&out, "%s.", profile_text(p, p->types.at[i].type));
	text = arena_text(arena, out.buf,
			  out.used < PREFIX_MAX ? out.used : PREFIX_MAX);
	for (char *c = text; c && *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	return text;
}

static int write_saved(const struct profile *p, struct numbered *file,
		       struct arena *arena, struct error *err)
{
	const struct format *format = format_find("pprof");
	struct sink bytes = sink_to_memory(arena);
	int r = format->write(p, team_for(p->sample_count), &bytes, err);

	if (r == 0 && bytes.error)
		r = error_set(err, bytes.error, "out of memory");
	if (r == 0)
		r = numbered_reserve(file, err);
	if (r == 0)
		r = savefile_write(file->path, sink_bytes(&bytes), err);
	return r;
}

/* What a server measured once it may never measure again.  A profile that can
 * not be saved is still worth a report. */
static void save(const struct profile *p)
{
	struct arena arena = { 0 };
	char folder[PATH_MAX];
	struct numbered file = { .suffix = ".pb.gz", .mode = 0666 };
	struct error err = { 0 };
	int r;

	file.folder = saved_folder(folder);
	file.prefix = saved_prefix(p, &arena);
	if (!file.folder || !file.prefix)
		r = error_set(&err, -ENOENT, "failed to identify temp dir");
	else
		r = write_saved(p, &file, &arena, &err);
	if (r == 0)
		talk("Saved profile in %s", file.path);
	else
		talk("Could not save profile: %s", err.text);
	arena_release(&arena);
}

int fetch(struct fetched *f, const struct arguments *a, struct error *err)
{
	int r = load_sets(f, a, err);

	if (r < 0)
		return r;
	f->profile = f->sources.profile;
	if (f->bases.profile)
		r = subtract(f, a, err);
	if (r == 0)
		r = refine(f, a, err);
	if (r < 0)
		return r;
	if (f->sources.remote || f->bases.remote)
		save(f->profile);
	return profile_check(f->profile, err);
}

void fetched_release(struct fetched *f)
{
	input_set_release(&f->sources);
	input_set_release(&f->bases);
	arena_release(&f->difference.arena);
	*f = (struct fetched){ 0 };
}
