/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_CALLGRIND_TREE_H
#define WICK_REPORT_CALLGRIND_TREE_H

struct report_context;
struct sink;
struct treetext;
struct workers;

/* Writes a call tree in callgrind's format and sets the context's unit. Returns
 * 0 or a negative errno. */
int callgrind_write_tree(const struct treetext *t, struct report_context *c,
			 const struct workers *workers, struct sink *out);

#endif /* WICK_REPORT_CALLGRIND_TREE_H */
