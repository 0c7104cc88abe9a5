/* SPDX-License-Identifier: MIT */
/*
 * The page as one file.  Data is compressed in blocks, since browsers only know
 * gzip files of one member, and written in base64, which can not end the
 * element that it stands in.
 */
#include "serve/savedpage.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "base/check.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/markup.h"
#include "base/sink.h"
#include "serve/view_page.h"

enum {
	BLOCK = 4 << 20,
	LEVEL = 8,
	NAME_MOST = 200,
	EXTRA_LEAST = 400000, /* bytes that sources may take in any page */
	PAGE_MOST = 14900000, /* beyond that they take none */
};

/* What blocks are compressed with, and into. */
struct packer {
	struct libdeflate_compressor *compressor;
	uint8_t *room;
	size_t size;
	size_t written; /* of all profiles so far */
};

/* What a block is of; as in the names of the page's attributes. */
struct block_kind {
	const char *attribute;
	const char *name; /* of the profile, for people */
	unsigned number;
};

static void put_block(struct packer *p, const struct block_kind *kind,
		      struct span block, struct sink *out)
{
	size_t len = libdeflate_gzip_compress(p->compressor, block.at,
					      block.len, p->room, p->size);

	ASSERT(len);
	sink_format(out,
		    "<script type=\"application/octet-stream\" "
		    "data-%s=\"%u\" data-name=\"",
		    kind->attribute, kind->number);
	sink_markup(out, span_text(kind->name ? kind->name : ""), NAME_MOST);
	sink_text(out, "\">");
	sink_base64(out, span_of(p->room, len));
	sink_text(out, "</script>\n");
}

static void put_blocks(struct packer *p, const struct block_kind *kind,
		       struct span rest, struct sink *out)
{
	while (rest.len) {
		size_t len = rest.len < BLOCK ? rest.len : BLOCK;

		put_block(p, kind, span_part(rest, 0, len), out);
		rest = span_part(rest, len, rest.len - len);
	}
}

static void put_profile(struct packer *p, const struct saved_profile *profile,
			unsigned number, struct sink *out)
{
	struct arena arena = { 0 };
	struct sink data = sink_to_memory(&arena);
	struct sink extra = sink_to_memory(&arena);
	struct block_kind kind = { "profile", profile->name, number };
	size_t most;

	put_blocks(p, &kind, profile->data, &data);
	sink_span(out, sink_bytes(&data));
	p->written += data.used;
	most = data.used / 2 > EXTRA_LEAST ? data.used / 2 : EXTRA_LEAST;
	if (profile->sources.len) {
		kind.attribute = "places";
		put_blocks(p, &kind, profile->places, &extra);
		kind.attribute = "source";
		put_blocks(p, &kind, profile->sources, &extra);
	}
	if (extra.used <= most && p->written + extra.used <= PAGE_MOST) {
		sink_span(out, sink_bytes(&extra));
		p->written += extra.used;
	}
	if (arena.failed)
		out->error = -ENOMEM;
	arena_release(&arena);
}

static void put_head(struct sink *out)
{
	sink_text(out,
		  "<meta http-equiv=\"Content-Security-Policy\" content=\""
		  "default-src 'none'; script-src '" VIEW_JS_HASH
		  "'; style-src '" VIEW_CSS_HASH
		  "'; img-src data: blob:; worker-src blob:; base-uri 'none'; "
		  "form-action 'none'\">\n"
		  "<style>");
	sink_text(out, view_css);
	sink_text(out, "</style>\n");
}

/* The part of the page before a mark, which then is behind *rest. */
static struct span until(struct span *rest, const char *mark)
{
	size_t len = strlen(mark);
	const uint8_t *at = memmem(rest->at, rest->len, mark, len);
	size_t front;
	struct span before;

	ASSERT(at);
	front = (size_t)(at - rest->at);
	before = span_part(*rest, 0, front);
	*rest = span_part(*rest, front + len, rest->len - front - len);
	return before;
}

static void put_page(struct packer *p, const struct saved_profile *profiles,
		     unsigned count, struct sink *out)
{
	struct span rest = span_text(view_html);

	sink_span(out, until(&rest, "<!--head-->"));
	put_head(out);
	sink_span(out, until(&rest, "<!--data-->"));
	sink_text(out, "<script type=\"text/plain\" id=\"worker-program\">");
	sink_text(out, view_worker_js);
	sink_text(out, "</script>\n");
	for (unsigned i = 0; i < count; i++)
		put_profile(p, &profiles[i], i, out);
	sink_text(out, "<script type=\"module\">");
	sink_text(out, view_js);
	sink_text(out, "</script>\n");
	sink_span(out, rest);
}

int savedpage_write(const struct saved_profile *profiles, unsigned count,
		    struct sink *out, struct error *err)
{
	struct arena arena = { 0 };
	struct packer p = { .compressor = deflate_open(LEVEL) };

	if (p.compressor) {
		p.size = libdeflate_gzip_compress_bound(p.compressor, BLOCK);
		p.room = arena_alloc(&arena, p.size);
	}
	if (p.room)
		put_page(&p, profiles, count, out);
	if (p.compressor)
		libdeflate_free_compressor(p.compressor);
	arena_release(&arena);
	return p.room ? 0 : error_set(err, -ENOMEM, "out of memory");
}
