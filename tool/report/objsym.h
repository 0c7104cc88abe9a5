/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_OBJSYM_H
#define WICK_REPORT_OBJSYM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/symtab.h"
#include "report/graphview.h"
#include "symbolize/object.h"

struct code;
struct error;
struct sort_item;

/* An object file of the profile. */
struct open_object {
	struct object object;
	str_id file;
	bool open;	    /* false: it could not be opened, which was said */
	struct symtab code; /* all functions that are known in it */
	struct sort_item *nodes; /* objects_find(): graph nodes in it, by their
				    addresses in the file */
	uint32_t node_count;
	const struct code **read; /* by row of code: see objects_code() */
};

/* A function in an object that a report asks for. */
struct object_symbol {
	struct open_object *in;
	struct span name;		/* the one that matched, or the first */
	const struct symtab_row *first; /* its rows, all at one address */
	uint32_t rows;
	bool by_address; /* found by its address: all names are shown */
	uint64_t start;	 /* in the file */
	uint64_t end;
	uint32_t *nodes; /* graph nodes with samples in it, by address */
	uint32_t node_count;
};

/* The objects of a report, each opened once.  Zeroed: none yet. */
struct objects {
	VEC(struct open_object *) open;
	VEC(struct object_symbol) symbols;
	bool by_address; /* the argument is an address */
	uint64_t address;
	struct arena kept; /* of code that was disassembled */
};

/* The object of a mapping, opened if need be; NULL if that is impossible. */
struct open_object *objects_get(struct objects *o, struct report_context *c,
				const struct mapping *m);

/*
 * The machine code of a row of an object's code, which stays until
 * objects_make_room() lets go of it.  NULL: it can not be disassembled, and the
 * sentence says why.
 */
const struct code *objects_code(struct objects *o,
				const struct report_context *c,
				struct open_object *in,
				const struct symtab_row *row,
				struct error *err);

/* Lets go of all code, if it has become too much to be kept for who may ask for
 * it once more. */
void objects_make_room(struct objects *o);

/* Whether a whole argument is an address, as "0x401000" or "4198400". */
bool address_parse(const char *text, uint64_t *ret);

/*
 * Opens the binaries of the profile that matter for the context's argument and
 * finds the functions that match it (by name, demangled or not, or by address)
 * and have samples.  g holds the graph, by address.  Release with
 * objects_release() whatever comes back.  Returns 0 or a negative errno with a
 * sentence.
 */
int objects_find(struct objects *o, struct report_context *c,
		 const struct graph_view *g, struct error *err);
void objects_release(struct objects *o);

#endif /* WICK_REPORT_OBJSYM_H */
