/* SPDX-License-Identifier: MIT */
/*
 * Guesses what was given in place of a profile, so that the message can say
 * what to do.  A guess: nothing depends on it but words.
 */
#include "format/detect.h"

#include <elf.h>
#include <stdbool.h>

#include "base/check.h"

enum { HEAD = 1024 }; /* bytes that a guess looks at */

#define GO_TEST \
	"the output of 'go test'; give the file it wrote with -cpuprofile or -memprofile"

struct beginning {
	struct span bytes;
	const char *what;
};

#define BEGINS(bytes_, what_) \
	{ \
		{ (const uint8_t *)(bytes_), sizeof(bytes_) - 1 }, (what_) \
	}

/* Files that say what they are in their first bytes. */
static const struct beginning binaries[] = {
	BEGINS("PERFILE2", "a perf.data file"),
	BEGINS("PK\3\4", "a zip archive; unpack it first"),
	BEGINS("(\xb5/\xfd", "zstd data; decompress it first"),
	BEGINS("\xfd\x37zXZ", "xz data; decompress it first"),
	BEGINS("BZh", "bzip2 data; decompress it first"),
	BEGINS("\x1f\x8b", "gzip data within gzip data; decompress it once"),
	BEGINS("!<arch>\n", "a static library or a package"),
	BEGINS("MZ", "a Windows program"),
};

/* Texts that do so in their first word, in lower case. */
static const struct beginning texts[] = {
	BEGINS("<!doctype html", "an HTML page, such as a server's error page"),
	BEGINS("<html", "an HTML page, such as a server's error page"),
	BEGINS("<svg", "an SVG picture"),
	BEGINS("<?xml", "an XML file"),
	BEGINS("{", "a JSON file"),
	BEGINS("[", "a JSON file"),
	BEGINS("goos: ", GO_TEST),
	BEGINS("=== run ", GO_TEST),
	BEGINS("pass\n", GO_TEST),
	BEGINS("ok  \t", GO_TEST),
	BEGINS("version: 1\ncreator: callgrind", "a callgrind file"),
	BEGINS("# callgrind format", "a callgrind file"),
	BEGINS("desc: ", "a massif file"),
	BEGINS("#!", "a script"),
};

static const char *detect_elf(struct span data)
{
	struct reader r = reader_of(data);

	if (!span_starts(data, ELFMAG))
		return NULL;
	(void)reader_take(&r, EI_NIDENT);
	switch (reader_u16(&r)) {
	case ET_CORE:
		return "a core file";
	case ET_REL:
		return "an object file";
	case ET_EXEC:
		return "an ELF executable; give the profile after it";
	default:
		return "an ELF executable or library; give the profile after it";
	}
}

static const char *detect_beginning(struct span data,
				    const struct beginning *known, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = known[i].bytes.len;

		if (span_equal(span_part(data, 0, len), known[i].bytes))
			return known[i].what;
	}
	return NULL;
}

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_text(struct span head)
{
	const uint8_t escape = 033; /* colours */

	for (size_t i = 0; i < head.len; i++)
		if (head.at[i] < ' ' && !is_space(head.at[i]) &&
		    head.at[i] != escape)
			return false;
	return true;
}

/* The head without leading space and byte order mark, in lower case. */
static struct span lower(struct span head, uint8_t *room)
{
	size_t skip = 0;

	if (span_starts(head, "\xef\xbb\xbf"))
		skip = 3;
	while (skip < head.len && is_space(head.at[skip]))
		skip++;
	for (size_t i = skip; i < head.len; i++) {
		uint8_t c = head.at[i];

		room[i - skip] = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
	}
	return span_of(room, head.len - skip);
}

static const char *detect_text(struct span head)
{
	uint8_t room[HEAD];
	struct span text = lower(head, room);
	const char *what = detect_beginning(text, texts, ARRAY_SIZE(texts));

	if (what && span_starts(text, "<?xml") &&
	    memmem(text.at, text.len, "<svg", 4))
		return "an SVG picture";
	return what ? what : "text";
}

const char *detect_other(struct span data)
{
	struct span head = span_part(data, 0,
				     data.len < HEAD ? data.len : HEAD);
	const char *what = detect_elf(data);

	if (!what)
		what = detect_beginning(head, binaries, ARRAY_SIZE(binaries));
	if (!what && is_text(head))
		what = detect_text(head);
	return what;
}
