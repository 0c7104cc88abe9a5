# jemalloc's heap dumps, which pprof itself refuses.
wick pprof -raw -symbolize=none jemalloc.heap
wick pprof -top -sample_index=inuse_objects -symbolize=none jemalloc.heap
