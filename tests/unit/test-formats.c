/* SPDX-License-Identifier: MIT */
/* The table of formats, and the words for what is of none of them. */
#include <errno.h>
#include <string.h>

#include "format/detect.h"
#include "format/format.h"
#include "format/gzip.h"
#include "pprof.h"
#include "test.h"

TEST(formats_are_found_by_name_and_by_extension)
{
	const struct format *pprof = format_find("pprof");

	CHECK(pprof);
	CHECK(!format_find("PPROF"));
	CHECK(!format_find(""));
	CHECK(format_for_path("a/b.pb.gz") == pprof);
	CHECK(format_for_path("x.pb") == pprof);
	CHECK(!format_for_path("pb.gz"));
	CHECK(!format_for_path(".pb"));
	CHECK(!format_for_path("x.pbx"));
	CHECK(!format_for_path(""));
}

TEST(each_format_has_a_row_of_its_own)
{
	const struct format *f;

	for (unsigned i = 0; (f = format_at(i)); i++) {
		CHECK(f->name && f->extensions && f->summary);
		CHECK(f->read || f->write);
		CHECK(!f->read || f->detect);
		CHECK(format_find(f->name) == f);
	}
	CHECK(!format_at(1000));
}

static int read_bytes(const void *bytes, size_t len)
{
	file.err = (struct error){ 0 };
	CHECK_EQ(profile_init(&file.profile, &file.arena), 0);
	return format_read(&file.profile, span_of(bytes, len), 1 << 20,
			   &file.err);
}

/* Compresses what is in the file. */
static void compress(void)
{
	struct sink out = sink_to_memory(&file.arena);
	struct gzip_writer w;

	gzip_writer_open(&w, &out, NULL);
	sink_span(&w.plain, sink_bytes(&file.out));
	CHECK_EQ(gzip_writer_close(&w), 0);
	file.out = out;
}

TEST(a_profile_is_read_compressed_or_not)
{
	file_new();
	put_basics();
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), 0);
	CHECK_EQ(file.profile.types.count, 1);
	compress();
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), 0);
	CHECK_EQ(file.profile.types.count, 1);
}

TEST(a_compressed_profile_too_large_is_refused)
{
	file_new();
	put_basics();
	for (unsigned i = 0; i < 500000; i++)
		PUT_MESSAGE(PPROF_SAMPLE, 2, N(1));
	compress();
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), -EFBIG);
	CHECK_STR(file.err.text,
		  "decompressing profile: it expands to more than 1 MiB");
}

TEST(an_empty_file_is_called_so)
{
	file_new();
	CHECK_EQ(read_bytes("", 0), -EBADMSG);
	CHECK_STR(file.err.text, "empty input file");
	compress();
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), -EBADMSG);
	CHECK_STR(file.err.text, "empty input file");
}

TEST(the_nearest_format_says_what_is_odd)
{
	file_new();
	put_basics();
	proto_put_bytes(&file.out, PPROF_MAPPING, span_of("\x08", 1));
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), -EBADMSG);
	CHECK_STR(
		file.err.text,
		"unrecognized profile format: it looks like a pprof profile, but mapping 2 is damaged");
}

TEST(what_is_no_profile_is_called_what_it_looks_like)
{
	static const struct {
		const char *bytes;
		const char *what;
	} others[] = {
		{ "PERFILE2", "a perf.data file" },
		{ "PK\3\4", "a zip archive; unpack it first" },
		{ "\x28\xb5\x2f\xfd", "zstd data; decompress it first" },
		{ "\xfd"
		  "7zXZ",
		  "xz data; decompress it first" },
		{ "  <!DOCTYPE html>\n<p>404",
		  "an HTML page, such as a server's error page" },
		{ "\xef\xbb\xbf<html>",
		  "an HTML page, such as a server's error page" },
		{ "<svg width=\"1\">", "an SVG picture" },
		{ "<?xml version=\"1.0\"?>\n<svg>", "an SVG picture" },
		{ "<?xml version=\"1.0\"?>\n<a>", "an XML file" },
		{ "{\"a\": 1}", "a JSON file" },
		{ "\n[1, 2]", "a JSON file" },
		{ "goos: linux\ngoarch: amd64\n",
		  "the output of 'go test'; give the file it wrote with -cpuprofile or -memprofile" },
		{ "PASS\nok  \tx\t1s\n",
		  "the output of 'go test'; give the file it wrote with -cpuprofile or -memprofile" },
		{ "# callgrind format\n", "a callgrind file" },
		{ "#!/bin/sh\n", "a script" },
		{ "404 page not found\n", "text" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const char *bytes = others[i].bytes;
		char sentence[200];

		CHECK_STR(detect_other(span_text(bytes)), others[i].what);
		strcpy(sentence, "unrecognized profile format: it looks like ");
		strcat(sentence, others[i].what);
		file_new();
		CHECK_EQ(read_bytes(bytes, strlen(bytes)), -EBADMSG);
		CHECK_STR(file.err.text, sentence);
	}
}

TEST(elf_files_are_told_apart)
{
	static const struct {
		char type;
		const char *what;
	} kinds[] = {
		{ 1, "an object file" },
		{ 2, "an ELF executable; give the profile after it" },
		{ 3,
		  "an ELF executable or library; give the profile after it" },
		{ 4, "a core file" },
	};

	for (unsigned i = 0; i < 4; i++) {
		char bytes[64] = "\x7f"
				 "ELF";

		bytes[16] = kinds[i].type;
		CHECK_STR(detect_other(span_of(bytes, sizeof(bytes))),
			  kinds[i].what);
	}
	CHECK(detect_other(span_of("\x7f"
				   "ELF",
				   4)));
}

TEST(gzip_within_gzip_is_called_so)
{
	file_new();
	put_basics();
	compress();
	compress();
	CHECK_EQ(read_bytes(file.out.buf, file.out.used), -EBADMSG);
	CHECK_STR(
		file.err.text,
		"unrecognized profile format: it looks like gzip data within gzip data; decompress it once");
}

TEST(bytes_of_no_kind_are_just_unrecognized)
{
	file_new();
	CHECK_EQ(read_bytes("\x03\xfe\x01\x02", 4), -EBADMSG);
	CHECK_STR(file.err.text, "unrecognized profile format");
}
