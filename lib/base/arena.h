/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_ARENA_H
#define WICK_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

/*
 * Memory that is released all at once, taken straight from mmap(2), so that it
 * works inside malloc, in a signal-blocked helper thread and in the command
 * alike.  A zeroed struct is a valid, empty arena.
 *
 * One thread at a time.  limit, when not 0, bounds the bytes mapped: beyond it
 * allocation fails as if the machine had no more.  huge_pages is for tables
 * that are looked into all over.  failed is set by the first allocation that
 * could not be served and stays set, so that code which builds a large
 * structure may check once, at its end.
 */
struct arena {
	struct arena_block *blocks; /* the newest first; all are owned */
	struct arena_block *large;  /* one allocation each */
	size_t mapped;		    /* bytes taken from the kernel */
	size_t limit;
	bool huge_pages;
	bool failed;
};

/* Returns size zeroed bytes aligned for any type, or NULL. */
void *arena_alloc(struct arena *a, size_t size);

/* Returns room for count items of size bytes each, zeroed, or NULL. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* The same for a table whose rows are looked into, and filled in, all over:
 * its memory is there at once. */
void *arena_table(struct arena *a, size_t count, size_t size);

/*
 * Makes an allocation larger.  p was returned by this arena with old_size, or
 * is NULL with old_size 0.  Returns the new place, its first old_size bytes
 * kept and the rest zeroed, or NULL, and then p is still valid.  Large
 * allocations are moved by the kernel's page tables and leave no copy behind.
 */
void *arena_resize(struct arena *a, void *p, size_t old_size, size_t new_size);

/*
 * Gives back an allocation of size bytes early.  Large ones return to the
 * kernel at once; small ones wait for arena_release().
 */
void arena_free(struct arena *a, void *p, size_t size);

/* Returns a NUL-terminated copy of the len bytes at text, or NULL. */
char *arena_text(struct arena *a, const char *text, size_t len);

/* Releases everything; the arena is empty and reusable, its limit and the size
 * of its pages kept. */
void arena_release(struct arena *a);

/*
 * As arena_release(), but keeps one block for what comes next: for memory that
 * is filled and emptied thousands of times.
 */
void arena_reset(struct arena *a);

/* Makes all that another arena has its own; the other is empty then. */
void arena_adopt(struct arena *a, struct arena *other);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, count) \
	((type *)arena_array((a), (count), sizeof(type)))
#define ARENA_TABLE(a, type, count) \
	((type *)arena_table((a), (count), sizeof(type)))

#endif /* WICK_BASE_ARENA_H */
