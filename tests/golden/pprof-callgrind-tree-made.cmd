# Trees that can not be listed without being made: by cum, and with negative values.
wick pprof -callgrind -call_tree -cum -output=/dev/stdout stacks.folded 2>/dev/null | tail -25
wick pprof -callgrind -call_tree -output=$TMP/out -diff_base=server-old.pb.gz server.pb.gz 2>/dev/null
tail -20 $TMP/out
