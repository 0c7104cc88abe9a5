/* SPDX-License-Identifier: MIT */
/*
 * Prints a recording as wick's own reader sees it, for recording.py to compare
 * with what it sees itself.
 *
 * usage: dump-recording FILE
 */
#include <stdio.h>

#include "../unit/profile_dump.h"
#include "base/arena.h"
#include "base/error.h"
#include "format/format.h"
#include "format/recording.h"

static struct span read_file(const char *path, struct arena *arena)
{
	FILE *f = fopen(path, "rb");
	struct sink data = sink_to_memory(arena);
	char buf[4096];
	size_t len;

	if (!f)
		return (struct span){ 0 };
	while ((len = fread(buf, 1, sizeof(buf), f)) > 0)
		sink_write(&data, buf, len);
	fclose(f);
	return sink_bytes(&data);
}

int main(int argc, char **argv)
{
	struct arena arena = { 0 };
	struct error err = { .text = "no recording" };
	struct profile p;
	struct sink out;
	char buf[4096];

	if (argc != 2 || profile_init(&p, &arena) < 0 ||
	    format_recording.read(&p, read_file(argv[1], &arena), &err) < 0) {
		fprintf(stderr, "dump-recording: %s\n", err.text);
		return 1;
	}
	out = sink_to_fd(fileno(stdout), buf, sizeof(buf));
	profile_dump_to(&p, &out);
	return sink_flush(&out) < 0;
}
