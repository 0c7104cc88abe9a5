/* SPDX-License-Identifier: MIT */
/* The parts of applying a view: each changes c->profile, and only that. */
#ifndef WICK_REPORT_FILTER_H
#define WICK_REPORT_FILTER_H

struct error;
struct report_context;

/*
 * focus, ignore, hide, show, show_from, the tag filters, prune_from and
 * noinlines, in pprof's order.  Says which of them matched nothing.
 */
int filter_apply(struct report_context *c, struct error *err);

/* Only the last of them. */
int inlines_apply(struct report_context *c, struct error *err);

/* The tag filters: which samples stay, and which of their labels. */
struct tag_filters;
int tag_filters_compile(struct report_context *c, struct tag_filters **ret,
			struct error *err);
int tag_filters_apply(struct report_context *c, struct tag_filters *f);
void tag_filters_release(struct tag_filters *f);

/* Removes labels by their keys (tagshow, taghide). */
int tag_keys_apply(struct report_context *c, struct error *err);

/* tagroot and tagleaf: labels as frames. */
int tagroot_apply(struct report_context *c, struct error *err);

#endif /* WICK_REPORT_FILTER_H */
