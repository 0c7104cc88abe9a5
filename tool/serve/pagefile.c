/* SPDX-License-Identifier: MIT */
/*
 * The container of what the page reads: see pagefile.h.  It knows nothing of
 * profiles.
 */
#include "serve/pagefile.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/sink.h"

enum { ALIGN = 8 };

static uint64_t aligned(uint64_t size)
{
	return (size + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

static void add(struct pagefile *f, struct page_column column)
{
	struct page_column *c = VEC_PUSH(&f->columns, f->arena);

	if (c)
		*c = column;
}

static uint8_t width_of(const uint32_t *at, uint64_t count)
{
	uint32_t all = 0;

	for (uint64_t i = 0; i < count; i++)
		all |= at[i];
	return all > UINT16_MAX ? 4 : all > UINT8_MAX ? 2 : 1;
}

void pagefile_add(struct pagefile *f, const char *name, const uint32_t *at,
		  uint64_t count)
{
	struct page_column c = { .name = name, .at = at, .count = count };
	void *copy;

	c.width = width_of(at, count);
	if (c.width < 4) {
		copy = arena_array(f->arena, count + 1, c.width);
		for (uint64_t i = 0; copy && i < count; i++) {
			if (c.width == 1)
				((uint8_t *)copy)[i] = (uint8_t)at[i];
			else
				((uint16_t *)copy)[i] = (uint16_t)at[i];
		}
		c.at = copy;
	}
	add(f, c);
}

void pagefile_add_real(struct pagefile *f, const char *name, const double *at,
		       uint64_t count)
{
	add(f, (struct page_column){ .name = name,
				     .at = at,
				     .count = count,
				     .width = sizeof(*at),
				     .real = true });
}

void pagefile_add_bytes(struct pagefile *f, const char *name, struct span bytes)
{
	add(f, (struct page_column){ .name = name,
				     .at = bytes.at,
				     .count = bytes.len,
				     .width = 1 });
}

static void put_column(struct json *j, const struct page_column *c, uint64_t at)
{
	static const char *const types[] = {
		[1] = "u8", [2] = "u16", [4] = "u32"
	};

	json_key(j, c->name);
	json_open(j, '[');
	json_text(j, c->real ? "f64" : types[c->width]);
	json_uint(j, at);
	json_uint(j, c->count);
	json_close(j, ']');
}

static struct span whole_json(const struct pagefile *f, struct span json,
			      bool planes)
{
	struct sink text = sink_to_memory(f->arena);
	struct json j = json_to(&text);
	uint64_t at = 0;

	sink_span(&text, json);
	sink_format(&text,
		    ",\"planes\":%s,\"columns\":", planes ? "true" : "false");
	json_open(&j, '{');
	for (uint32_t i = 0; i < f->columns.count; i++) {
		const struct page_column *c = &f->columns.at[i];

		put_column(&j, c, at);
		at += aligned(c->count * c->width);
	}
	json_close(&j, '}');
	sink_char(&text, '}');
	sink_repeat(&text, ' ', aligned(text.used) - text.used);
	return sink_bytes(&text);
}

static void put_planes(struct sink *out, const struct page_column *c)
{
	const uint8_t *bytes = c->at;
	char part[4096];
	size_t used = 0;

	for (uint8_t plane = 0; plane < c->width; plane++)
		for (uint64_t i = 0; i < c->count; i++) {
			part[used++] = (char)bytes[i * c->width + plane];
			if (used == sizeof(part)) {
				sink_write(out, part, used);
				used = 0;
			}
		}
	sink_write(out, part, used);
}

void pagefile_write(const struct pagefile *f, struct span json, bool planes,
		    struct sink *out)
{
	struct span head = whole_json(f, json, planes);
	const uint32_t numbers[] = { PAGEFILE_VERSION, (uint32_t)head.len };

	sink_text(out, PAGEFILE_MAGIC);
	sink_write(out, numbers, sizeof(numbers));
	sink_span(out, head);
	for (uint32_t i = 0; i < f->columns.count; i++) {
		const struct page_column *c = &f->columns.at[i];
		uint64_t size = c->count * c->width;

		if (planes && c->width > 1)
			put_planes(out, c);
		else
			sink_write(out, c->at, size);
		sink_repeat(out, '\0', aligned(size) - size);
	}
}
