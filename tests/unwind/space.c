/* SPDX-License-Identifier: MIT */
#include "space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/symtab.h"
#include "unwind/object.h"

static struct loaded *load_vdso(struct target *t, const struct target_map *m)
{
	struct loaded *l = calloc(1, sizeof(*l));
	size_t len = m->hi - m->lo;
	uint8_t *bytes = malloc(len);

	l->file = span_of(bytes, t->read(t, m->lo, bytes, len));
	snprintf(l->path, sizeof(l->path), "%s", m->path);
	if (elf_open(&l->elf, l->file, NULL) < 0 ||
	    unwind_object(&l->elf, NULL, &l->arena, &l->image, NULL) < 0 ||
	    unwind_table_open(&l->table, l->image, NULL) < 0)
		l->table = (struct unwind_table){ 0 };
	return l;
}

static struct loaded *object_of(struct space *s, struct target *t,
				const struct target_map *m)
{
	struct loaded *l;

	for (size_t i = 0; i < s->n_objects; i++)
		if (!strcmp(s->objects[i]->path, m->path))
			return s->objects[i];
	if (!strcmp(m->path, "[vdso]")) {
		l = load_vdso(t, m);
	} else {
		l = calloc(1, sizeof(*l));
		if (load_table(l, m->path) < 0)
			l->table = (struct unwind_table){ 0 };
	}
	s->objects[s->n_objects++] = l;
	return l;
}

static void add_module(struct space *s, struct target *t,
		       const struct target_map *m)
{
	struct unwind_module *module = &s->modules[s->map.count];
	struct loaded *l = NULL;
	uint64_t address = 0;

	*module = (struct unwind_module){ .lo = m->lo, .hi = m->hi };
	if (m->path[0] == '/' || !strcmp(m->path, "[vdso]"))
		l = object_of(s, t, m);
	s->of[s->map.count++] = l;
	if (!l || !elf_code_mapping_address(&l->elf, m->offset, &address))
		return;
	module->bias = m->lo - address;
	if (l->table.n_rows)
		module->table = &l->table;
}

void space_update(struct space *s, struct target *t,
		  const struct target_map *maps, size_t n_maps)
{
	s->map.modules = s->modules;
	s->map.count = 0;
	s->map.generation++;
	for (size_t i = 0; i < n_maps; i++)
		if (maps[i].executable &&
		    strcmp(maps[i].path, "[vsyscall]") != 0)
			add_module(s, t, &maps[i]);
}

uint64_t space_address(const struct space *s, const struct target_map *m,
		       uint64_t pc)
{
	uint64_t address = 0;

	for (size_t i = 0; i < s->n_objects; i++)
		if (!strcmp(s->objects[i]->path, m->path))
			(void)elf_offset_to_address(&s->objects[i]->elf,
						    pc - m->lo + m->offset,
						    &address);
	return address;
}

const char *space_name(const struct space *s, uint64_t pc)
{
	static struct symtab tables[SPACE_MAX];

	for (uint32_t i = 0; i < s->map.count; i++) {
		const struct unwind_module *m = &s->modules[i];
		struct loaded *l = s->of[i];

		if (pc < m->lo || pc >= m->hi || !l)
			continue;
		if (!tables[i].count)
			symtab_build(&tables[i], &l->elf, &l->arena);

		const struct symtab_row *row = symtab_find(&tables[i],
							   pc - m->bias);

		return row ? row->name : "?";
	}
	return "?";
}
