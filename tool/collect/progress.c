/* SPDX-License-Identifier: MIT */
/* See progress.h. */
#include "collect/progress.h"

#include <unistd.h>

#include "base/sink.h"
#include "collect/recorder.h"
#include "collect/size.h"

void progress_show(const struct recorder *r)
{
	char buf[256];
	struct sink out = sink_to_fd(STDERR_FILENO, buf, sizeof(buf));
	uint64_t seconds = (recorder_now() - r->start) / 1000000000;

	sink_format(&out, "\r\033[Krecording: %llu s, %llu samples, ",
		    (unsigned long long)seconds,
		    (unsigned long long)r->counts.samples);
	if (r->counts.lost)
		sink_format(&out, "%llu lost, ",
			    (unsigned long long)r->counts.lost);
	put_size(&out, recorder_bytes(r));
	(void)sink_flush(&out); /* a courtesy */
}

void progress_clear(void)
{
	(void)!write(STDERR_FILENO, "\r\033[K", 4); /* as above */
}
