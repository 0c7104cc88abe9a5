/* SPDX-License-Identifier: MIT */
/*
 * Compares the table of an object, row by row, with what readelf reads from
 * its call frame information:
 *
 *	oracle-cfi FILE...
 *
 * For each row that readelf prints, the rules at its first and at its last
 * byte must say the same of CFA, return address, frame pointer and rbx.  What
 * readelf only calls "exp" must be a rule that evaluates something.  Prints
 * one line per file; fails on the first kind of difference found, with
 * examples.
 */
#include <elf.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "unwind/rule.h"

enum { COLUMNS = 64, EXAMPLES = 5 };

/* One row of readelf's, in the words it uses. */
struct row {
	uint64_t pc;
	char cfa[32];
	char ra[16]; /* "" if the column is missing */
	char fp[16];
	char extra[16];
};

struct oracle {
	const struct loaded *object;
	bool arm;
	bool go; /* its own tables know more than its .debug_frame */
	char names[COLUMNS][8];
	int n_names;
	struct row initial[4096]; /* of CIEs, by offset modulo */
	struct row last;
	bool have_last;
	bool in_cie;
	uint64_t cie;
	uint64_t lo;
	uint64_t hi;
	uint64_t rows;
	uint64_t fdes;
	uint64_t evaluated;
	uint64_t named; /* known by name to start or leave a stack */
	uint64_t wrong;
};

static void format_cfa(const struct oracle *o, const struct unwind_rule *r,
		       char *text, size_t size)
{
	static const char *const x86[] = { "rax", "rdx", "rcx", "rbx",
					   "rsi", "rdi", "rbp", "rsp" };
	char name[8];

	switch (r->kind) {
	case UNWIND_SP:
		snprintf(name, sizeof(name), "%s", o->arm ? "sp" : "rsp");
		break;
	case UNWIND_FP:
		snprintf(name, sizeof(name), "%s", o->arm ? "x29" : "rbp");
		break;
	case UNWIND_EXTRA:
		snprintf(name, sizeof(name), "rbx");
		break;
	case UNWIND_REG:
	case UNWIND_CONTEXT:
		if (!o->arm && r->arg < 8)
			snprintf(name, sizeof(name), "%s", x86[r->arg]);
		else
			snprintf(name, sizeof(name), "%c%d", o->arm ? 'x' : 'r',
				 r->arg);
		break;
	case UNWIND_END:
	case UNWIND_NONE:
		snprintf(text, size, "none");
		return;
	default:
		snprintf(text, size, "exp");
		return;
	}
	snprintf(text, size, "%s%+d", name, r->cfa);
}

static void format_place(unsigned where, int32_t offset, char *text,
			 size_t size)
{
	switch (where) {
	case UNWIND_AT_CFA:
		snprintf(text, size, "c%+d", offset);
		break;
	case UNWIND_AT_SP:
	case UNWIND_AT_FP:
		snprintf(text, size, "exp");
		break;
	case UNWIND_IN_REG:
		snprintf(text, size, "reg");
		break;
	default:
		snprintf(text, size, "u");
	}
}

static bool same_place(const char *theirs, const char *ours)
{
	if (!*theirs || !strcmp(theirs, "s"))
		return !strcmp(ours, "u");
	/* readelf names a register; only that it is one is compared. */
	if (!strcmp(ours, "reg"))
		return strchr("rx", theirs[0]) != NULL;
	return !strcmp(theirs, ours);
}

static bool same_rule(struct oracle *o, const struct row *theirs,
		      const struct unwind_rule *ours)
{
	char cfa[32];
	char ra[16];
	char fp[16];
	char extra[16];

	if (o->go && (ours->kind == UNWIND_END || ours->kind == UNWIND_SWITCH ||
		      (ours->ra_where & (UNWIND_SIGNAL | UNWIND_ANYWHERE)) ||
		      !strcmp(theirs->ra, "u"))) {
		o->named++;
		return true;
	}
	/* Undefined return address: nothing else matters. */
	if (ours->kind == UNWIND_END)
		return !strcmp(theirs->ra, "u");
	format_cfa(o, ours, cfa, sizeof(cfa));
	format_place(rule_ra_where(ours), ours->ra, ra, sizeof(ra));
	format_place(rule_fp_where(ours), ours->fp, fp, sizeof(fp));
	format_place(rule_extra_where(ours), ours->extra, extra, sizeof(extra));
	if (!strcmp(cfa, "exp"))
		o->evaluated++;
	if (o->go) {
		if (rule_ra_where(ours) == UNWIND_AT_SP)
			snprintf(ra, sizeof(ra), "c%+d", ours->ra - ours->cfa);
		/* Go counts below zero behind returns of assembly. */
		if (ours->kind == UNWIND_NONE && strchr(theirs->cfa, '-'))
			return true;
		return !strcmp(theirs->cfa, cfa) && same_place(theirs->ra, ra);
	}
	/* The return address as well as the stack pointer is in a register:
	 * ours is then the CFA; readelf's means nothing. */
	if (ours->kind == UNWIND_REG && !strcmp(ra, "reg"))
		return same_place(theirs->ra, ra);
	return !strcmp(theirs->cfa, cfa) && same_place(theirs->ra, ra) &&
	       same_place(theirs->fp, fp) &&
	       (o->arm || ours->kind == UNWIND_CONTEXT ||
		same_place(theirs->extra, extra));
}

static void compare_at(struct oracle *o, const struct row *theirs, uint64_t pc)
{
	static const struct unwind_rule none;
	const struct unwind_rule *ours = unwind_table_find(&o->object->table,
							   pc);
	char cfa[32];

	if (!ours)
		ours = &none;
	if (same_rule(o, theirs, ours))
		return;
	if (o->wrong++ >= EXAMPLES)
		return;
	format_cfa(o, ours, cfa, sizeof(cfa));
	printf("  %#lx: readelf: cfa %s ra %s fp %s rbx %s; "
	       "wick: cfa %s kind %u ra %u%+d fp %u%+d extra %u%+d\n",
	       (unsigned long)pc, theirs->cfa, theirs->ra, theirs->fp,
	       theirs->extra, cfa, ours->kind, rule_ra_where(ours), ours->ra,
	       rule_fp_where(ours), ours->fp, rule_extra_where(ours),
	       ours->extra);
}

static void compare(struct oracle *o, uint64_t end)
{
	uint64_t lo = o->last.pc;

	if (!o->have_last)
		return;
	o->have_last = false;
	if (o->in_cie) {
		o->initial[o->cie / 4 % 4096] = o->last;
		return;
	}
	if (end > o->hi)
		end = o->hi;
	if (lo >= end)
		return;
	o->rows++;
	compare_at(o, &o->last, lo);
	compare_at(o, &o->last, end - 1);
}

/* An FDE without rows of its own holds what its CIE says. */
static void finish_entry(struct oracle *o, bool had_rows)
{
	if (!o->in_cie && !had_rows && o->hi) {
		o->last = o->initial[o->cie / 4 % 4096];
		o->last.pc = o->lo;
		o->have_last = true;
	}
	compare(o, o->hi);
}

static void read_names(struct oracle *o, char *line)
{
	o->n_names = 0;
	for (char *word = strtok(line, " \n"); word && o->n_names < COLUMNS;
	     word = strtok(NULL, " \n"))
		snprintf(o->names[o->n_names++], sizeof(o->names[0]), "%s",
			 word);
}

static void put(char *to, size_t size, const char *word)
{
	snprintf(to, size, "%s", word);
}

/* The next word; registers are named twice: "r8 (r8)". */
static char *next_word(void)
{
	char *word;

	do
		word = strtok(NULL, " \n");
	while (word && *word == '(');
	return word;
}

static void read_row(struct oracle *o, char *line)
{
	struct row row = { 0 };
	char *word = strtok(line, " \n");

	row.pc = strtoull(word, NULL, 16);
	word = strtok(NULL, " \n");
	if (!word)
		return;
	put(row.cfa, sizeof(row.cfa), word);
	for (int i = 2; i < o->n_names; i++) {
		word = next_word();
		if (!word)
			break;
		if (!strcmp(o->names[i], "ra"))
			put(row.ra, sizeof(row.ra), word);
		else if (!strcmp(o->names[i], o->arm ? "x29" : "rbp"))
			put(row.fp, sizeof(row.fp), word);
		else if (!strcmp(o->names[i], "rbx"))
			put(row.extra, sizeof(row.extra), word);
	}
	compare(o, row.pc);
	o->last = row;
	o->have_last = true;
}

static bool read_entry(struct oracle *o, const char *line)
{
	unsigned long offset;
	unsigned long lo;
	unsigned long hi;
	const char *at;

	if (sscanf(line, "%lx %*x %*x CIE", &offset) == 1 &&
	    strstr(line, " CIE ")) {
		o->in_cie = true;
		o->cie = offset;
		return true;
	}
	at = strstr(line, " FDE cie=");
	if (!at ||
	    sscanf(at, " FDE cie=%lx pc=%lx..%lx", &offset, &lo, &hi) != 3)
		return false;
	o->in_cie = false;
	o->cie = offset;
	o->lo = lo;
	o->hi = hi;
	o->fdes++;
	return true;
}

static void run(struct oracle *o, FILE *from)
{
	char line[4096];
	bool rows = true;

	while (fgets(line, sizeof(line), from)) {
		if (!strncmp(line, "Contents of", 11)) {
			finish_entry(o, rows);
			rows = true;
		} else if (strstr(line, " CIE ") || strstr(line, " FDE ")) {
			finish_entry(o, rows);
			rows = false;
			if (!read_entry(o, line))
				rows = true;
		} else if (!strncmp(line, "   LOC", 6)) {
			read_names(o, line);
			rows = true;
		} else if (strlen(line) > 17 && line[16] == ' ') {
			read_row(o, line);
		}
	}
	finish_entry(o, rows);
}

static bool check(const char *path)
{
	struct loaded object;
	struct oracle *o = calloc(1, sizeof(*o));
	struct elf_section section;
	char command[512];
	FILE *from;

	if (!o || load_table(&object, path) < 0)
		return false;
	o->object = &object;
	o->arm = object.table.machine == EM_AARCH64;
	o->go = elf_find_section(&object.elf, ".gopclntab", &section);
	snprintf(command, sizeof(command),
		 "%s --debug-dump=frames-interp '%s' 2>/dev/null",
		 o->arm ? "aarch64-linux-gnu-readelf" : "readelf", path);
	from = popen(command, "r");
	if (!from)
		err(1, "readelf");
	run(o, from);
	pclose(from);
	printf("%s: %lu functions, %lu rows of readelf's, %u of wick's, "
	       "%u rules, %lu evaluated, %lu by name, %lu differences, %s\n",
	       path, (unsigned long)o->fdes, (unsigned long)o->rows,
	       object.table.n_rows, object.table.n_rules,
	       (unsigned long)o->evaluated, (unsigned long)o->named,
	       (unsigned long)o->wrong,
	       object.table.flags & UNWIND_PARTIAL ? "PARTIAL" : "whole");
	bool good = !o->wrong && o->rows;

	free(o);
	arena_release(&object.arena);
	return good;
}

int main(int argc, char **argv)
{
	bool good = argc > 1;

	for (int i = 1; i < argc; i++)
		good &= check(argv[i]);
	return !good;
}
