/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target over the files of its corpus, in place of libFuzzer, so
 * that every input that was ever interesting is part of the ordinary tests.
 *
 * usage: fuzz-<name> FILE-OR-FOLDER...
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned ran;

static void fail(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

/* The input is copied to its exact size, for the sanitizer to guard. */
static void run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t size;

	if (!f || fstat(fileno(f), &st) < 0)
		fail(path);
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	if (!data || fread(data, 1, size, f) != size)
		fail(path);
	fclose(f);
	printf("%s\n", path); /* the last one printed is the one that broke */
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	ran++;
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void run_folder(const char *folder)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, visible, alphasort);

	if (n < 0)
		fail(folder);
	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entry[i]->d_name);
		run_file(path);
		free(entry[i]);
	}
	free(entry);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) < 0)
			fail(argv[i]);
		if (S_ISDIR(st.st_mode))
			run_folder(argv[i]);
		else
			run_file(argv[i]);
	}
	printf("%u inputs\n", ran);
	return ran == 0; /* an empty corpus tests nothing */
}
