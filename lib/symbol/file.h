/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOL_FILE_H
#define WICK_SYMBOL_FILE_H

#include <stdint.h>

#include "base/span.h"

struct error;

/*
 * A file mapped for reading.  Zeroed: none.  The mapping follows the file: one
 * that is cut short while mapped faults on access, as everywhere; replaced
 * files (the usual way of updating programs) stay as they were.
 */
struct mapped_file {
	struct span bytes;
	uint64_t identity; /* changes when the file does: inode, size, times */
};

/*
 * Maps the regular file at path; 0 or a negative errno with a sentence.  Empty
 * files are refused with -ENODATA.
 */
int file_map(struct mapped_file *f, const char *path, struct error *err);

/*
 * Opens the file at path in the file system of somebody else, whose root is at
 * root ("/proc/PID/root"): its links lead nowhere outside.  root NULL or "":
 * ours.  Never waits for what is not a plain file.  A descriptor or a negative
 * errno.
 */
int file_open_in(const char *root, const char *path);

/* As file_map(), of what file_open_in() opens. */
int file_map_in(struct mapped_file *f, const char *root, const char *path,
		struct error *err);

/*
 * The same, but of a copy: for who must not fault when a file is cut short
 * while it is read, such as code in somebody else's process.  Only what there
 * is to know about code is copied; the program's own code and data read as
 * zero, and so does debug information of more than 128 MB, whose sections are
 * not there then.  The program that runs is mapped: the kernel lets nobody
 * write to it.  identity is not known.
 */
int file_copy_in(struct mapped_file *f, const char *root, const char *path,
		 struct error *err);

/* Tells the kernel that the pages are not needed soon; they stay readable. */
void file_forget_pages(const struct mapped_file *f);

void file_unmap(struct mapped_file *f);

#endif /* WICK_SYMBOL_FILE_H */
