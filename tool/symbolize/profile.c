/* SPDX-License-Identifier: MIT */
/*
 * Names for a profile's addresses, mapping by mapping.  The addresses of a
 * mapping are handed over together, so that their debug information can be read
 * in parallel.
 */
#include "symbolize/profile.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "profile/naming.h"
#include "profile/node.h"
#include "profile/profile.h"
#include "symbolize/binary.h"
#include "symbolize/object.h"

struct symbolizer {
	struct profile *p;
	const struct profile_symbols *how;
	struct arena scratch;
	struct naming naming;
	bool missing; /* some file was not there */
};

/* A location to be named, and where it is in the file. */
struct place {
	location_id location;
	uint64_t address;
};

static void say(const struct symbolizer *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct symbolizer *s, const char *format, ...)
{
	struct error line;
	va_list ap;

	if (!s->how->talk)
		return;
	va_start(ap, format);
	/* Names from profiles go to a terminal: through the cleaning one. */
	error_set_va(&line, 0, format, ap);
	va_end(ap);
	sink_format(s->how->talk, "%s\n", line.text);
}

/* As the linker has them: demangling is another step. */
static bool name_location(struct symbolizer *s, location_id id,
			  const struct symbol_frame *frames, uint32_t count)
{
	struct frame_name names[SYMBOL_FRAMES];

	for (uint32_t i = 0; i < count; i++)
		names[i] = (struct frame_name){
			.name = frames[i].function,
			.system_name = frames[i].function,
			.directory = frames[i].directory,
			.file = frames[i].file,
			.line = frames[i].line,
			.column = frames[i].column,
			.start_line = frames[i].start_line,
		};
	return naming_set(&s->naming, id, names, count);
}

/* Finds all locations of a mapping in its file. */
static struct place *find_places(struct symbolizer *s, mapping_id mapping,
				 const struct object *o, uint32_t *ret_count)
{
	const struct profile *p = s->p;
	struct place *places = ARENA_ARRAY(&s->scratch, struct place,
					   p->locations.count);
	uint32_t count = 0;

	for (uint32_t i = 1; places && i < p->locations.count; i++) {
		const struct location *l = &p->locations.at[i];

		if (l->mapping == mapping &&
		    object_address(o, l->address, &places[count].address))
			places[count++].location = i;
	}
	*ret_count = count;
	return places;
}

static int symbolize_object(struct symbolizer *s, mapping_id mapping,
			    struct object *o)
{
	struct symbol_frame frames[SYMBOL_FRAMES];
	uint32_t count;
	struct place *places = find_places(s, mapping, o, &count);
	uint64_t *addresses = ARENA_ARRAY(&s->scratch, uint64_t, count);

	if (!places || !addresses)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		addresses[i] = places[i].address;
	symbol_file_prepare(&o->file, addresses, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t depth = module_find(&o->file.module, addresses[i],
					     frames);

		if (depth &&
		    !name_location(s, places[i].location, frames, depth))
			return -ENOMEM;
	}
	return s->p->arena->failed ? -ENOMEM : 0;
}

static bool is_url(const char *file)
{
	return !strncasecmp(file, "http://", 7) ||
	       !strncasecmp(file, "https://", 8);
}

static bool wants_names(struct symbolizer *s, mapping_id id)
{
	const struct profile *p = s->p;
	const struct mapping *m = &p->mappings.at[id];
	const uint32_t named = MAPPING_HAS_FUNCTIONS | MAPPING_HAS_FILENAMES |
			       MAPPING_HAS_LINE_NUMBERS;
	bool used = false;

	for (uint32_t i = 1; i < p->locations.count && !used; i++)
		used = p->locations.at[i].mapping == id;
	if (!used || (!s->how->force && (m->flags & named)))
		return false;
	if (!m->file) {
		if (id == 1)
			say(s, "Main binary filename not available.");
		else
			s->missing = true;
		return false;
	}
	if (s->how->paths && s->how->paths[id])
		return true;
	if (!object_can_have_file(profile_text(p, m->file)))
		return false;
	return m->build_id || !is_url(profile_text(p, m->file));
}

static int symbolize_mapping(struct symbolizer *s, mapping_id id)
{
	struct profile *p = s->p;
	const struct mapping *m = &p->mappings.at[id];
	const char *path = s->how->paths && s->how->paths[id]
				   ? s->how->paths[id]
				   : profile_text(p, m->file);
	struct span name = path_base(str_span(p->strings, m->file));
	const char *build = profile_text(p, m->build_id);
	struct object_request request = {
		.path = path,
		.mapping = m,
		.kernel_symbol = profile_text(p, m->kernel_symbol),
		.symbols_only = s->how->fast,
	};
	struct object o;
	struct error err;
	/* Most binaries are simply not here, which is said in pprof's words. */
	int r = binary_check(path, &err);

	if (r == 0)
		r = object_open(&o, &request, &err);
	if (r == 0 && !object_is_build(&o, build)) {
		object_close(&o);
		error_set(&err, -ESTALE, "build ID mismatch");
		r = -ESTALE;
	}
	if (r < 0) {
		say(s, "Local symbolization failed for %.*s%s%s%s: %s",
		    (int)name.len, (const char *)name.at,
		    *build ? " (build ID " : "", build, *build ? ")" : "",
		    err.text);
		s->missing |= r != -ESTALE;
		return 0;
	}
	r = symbolize_object(s, id, &o);
	object_close(&o);
	return r;
}

int profile_symbolize(struct profile *p, const struct profile_symbols *how)
{
	struct symbolizer s = {
		.p = p,
		.how = how,
		.naming = { .profile = p },
	};
	int r = 0;

	for (uint32_t i = 1; i < p->mappings.count && r == 0; i++)
		if (wants_names(&s, i))
			r = symbolize_mapping(&s, i);
	if (s.missing)
		say(&s,
		    "Some binary filenames not available. Symbolization may be incomplete.");
	if (s.missing)
		say(&s,
		    "Try setting PPROF_BINARY_PATH to the search path for local binaries.");
	naming_release(&s.naming);
	arena_release(&s.scratch);
	return r;
}
