# A text profile that is broken says where.
printf 'heap profile: 1: 64 [1: 64] @ heapprofile\n1: 64 [1: 64] 0x1000\n' >$TMP/heap
wick pprof -top $TMP/heap
printf 'goroutine profile: total 1\n1 @ 0x10000000000000000\n' >$TMP/count
wick pprof -top $TMP/count
