/* SPDX-License-Identifier: MIT */
/* The defaults of a view: pprof's. */
#include "report/view.h"

const struct view view_default = {
	.divide_by = 1,
	.unit = "minimum",
	.granularity = GRANULARITY_FUNCTIONS,
	.trim = true,
	.nodecount = -1,
	.nodefraction = 0.005,
	.edgefraction = 0.001,
};
