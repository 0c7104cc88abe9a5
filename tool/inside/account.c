/* SPDX-License-Identifier: MIT */
/* See account.h. */
#include "inside/account.h"

#include <unistd.h>

#include "base/sink.h"
#include "collect/collect.h"
#include "collect/summary.h"
#include "inside/pieces.h"
#include "profile/loss.h"

static int64_t sum_of(const struct profile *p, uint32_t type)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		sum += (uint64_t)profile_values(p, i)[type];
	return (int64_t)sum;
}

void account_write(struct pieces *p, uint64_t bytes,
		   const struct collect_options *o)
{
	static char buf[4096];
	struct sink out = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));

	sink_text(&out, "recorded ");
	summary_time(&out, &p->arena, (uint64_t)sum_of(&p->profile, 1));
	sink_format(&out, " of CPU in %lld samples, %u process%s, ",
		    (long long)sum_of(&p->profile, 0), p->processes,
		    p->processes == 1 ? "" : "es");
	summary_time(&out, &p->arena,
		     (uint64_t)p->profile.header.duration_nanos);
	sink_format(&out,
		    " long\nfrom inside, at %u Hz; children that fork without "
		    "exec are not seen\n",
		    o->hertz);
	loss_write(&p->profile.loss, &out);
	if (p->unreadable)
		sink_format(&out, "%u of its pieces could not be read\n",
			    p->unreadable);
	summary_top(&out, &p->profile);
	summary_written(&out, o->output, bytes);
	(void)sink_flush(&out); /* talk */
}
