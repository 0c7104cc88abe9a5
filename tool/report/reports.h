/* SPDX-License-Identifier: MIT */
/* The reports there are; reports.c lists them. */
#ifndef WICK_REPORT_REPORTS_H
#define WICK_REPORT_REPORTS_H

struct report;
struct view;

extern const struct report report_callgrind;
extern const struct report report_comments;
extern const struct report report_disasm;
extern const struct report report_dot;
extern const struct report report_list;
extern const struct report report_peek;
extern const struct report report_proto;
extern const struct report report_raw;
extern const struct report report_tags;
extern const struct report report_text;
extern const struct report report_top;
extern const struct report report_topproto;
extern const struct report report_traces;
extern const struct report report_tree;
extern const struct report report_weblist;

/* The adjustments that several reports share. */
void adjust_untrimmed_list(struct view *view); /* no limit unless given */
void adjust_by_address(struct view *view);     /* everything, as it is */

#endif /* WICK_REPORT_REPORTS_H */
