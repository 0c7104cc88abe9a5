/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_TREECARDS_H
#define WICK_REPORT_TREECARDS_H

#include <stdint.h>

struct arena;
struct strtab;
struct treenames;
struct workers;

enum {
	TREE_STRIDE = 32,	 /* bytes behind any text can be read, too */
	TREE_LONGEST_NAME = 512, /* of those that have texts */
};

/*
 * What is said in calls of an entry, which is read for each of them: one line
 * of memory, and texts that it has in common with others.  A call is the text
 * of its file, a number, that of its function, the number of that among its
 * family, the rest of it, an address, which may be the one that is known as
 * text, and the text of its line.
 */
struct tree_card {
	_Alignas(64) uint64_t address;
	uint32_t file; /* where its text is; 0: calls are not made of texts */
	uint32_t function;
	uint32_t to_turn;    /* as in the list */
	uint32_t file_place; /* where the file is mentioned first */
	uint32_t file_by;
	uint16_t function_len;
	uint8_t rest_len;
	uint8_t file_len;
	uint8_t address_len;
	uint8_t line_len;
	char address_line[30]; /* the one behind the other */
};

_Static_assert(sizeof(struct tree_card) == 64, "a line of memory");

/* The memory is the arena's that they were made with. */
struct treecards {
	struct tree_card *at; /* by node_id */
	const char *texts;
};

/* For the nodes that names are about.  Returns 0, -ENOMEM, or -ENOTSUP if there
 * is too much text. */
int treecards_make(struct treecards *c, const struct treenames *names,
		   const struct strtab *strings, const struct workers *workers,
		   struct arena *arena);

#endif /* WICK_REPORT_TREECARDS_H */
