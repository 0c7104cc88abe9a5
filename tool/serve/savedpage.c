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

enum { BLOCK = 4 << 20, LEVEL = 8, NAME_MOST = 200 };

/* What blocks are compressed with, and into. */
struct packer {
	struct libdeflate_compressor *compressor;
	uint8_t *room;
	size_t size;
};

static void put_block(struct packer *p, const struct saved_profile *profile,
		      unsigned number, struct span block, struct sink *out)
{
	size_t len = libdeflate_gzip_compress(p->compressor, block.at,
					      block.len, p->room, p->size);

	ASSERT(len);
	sink_format(out,
		    "<script type=\"application/octet-stream\" "
		    "data-profile=\"%u\" data-name=\"",
		    number);
	sink_markup(out, span_text(profile->name ? profile->name : ""),
		    NAME_MOST);
	sink_text(out, "\">");
	sink_base64(out, span_of(p->room, len));
	sink_text(out, "</script>\n");
}

static void put_profile(struct packer *p, const struct saved_profile *profile,
			unsigned number, struct sink *out)
{
	struct span rest = profile->data;

	while (rest.len) {
		size_t len = rest.len < BLOCK ? rest.len : BLOCK;

		put_block(p, profile, number, span_part(rest, 0, len), out);
		rest = span_part(rest, len, rest.len - len);
	}
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
