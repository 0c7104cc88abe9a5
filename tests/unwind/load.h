/* SPDX-License-Identifier: MIT */
/*
 * Tables of files on disk, for the programs here and in bench/ that compare
 * the unwinder with others.
 */
#ifndef WICK_TEST_LOAD_H
#define WICK_TEST_LOAD_H

#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "elf/image.h"
#include "unwind/table.h"

struct loaded {
	struct arena arena;
	struct span file;
	struct elf elf;
	struct span image;
	struct unwind_table table;
	char path[256];
};

/* Maps the file and reads its headers; ends the program if it cannot. */
void load_file(struct loaded *l, const char *path);

/* Compiles and opens its table as well; 0, or why there is none. */
int load_table(struct loaded *l, const char *path);

double seconds_now(void);

#endif /* WICK_TEST_LOAD_H */
