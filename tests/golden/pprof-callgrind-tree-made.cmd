# Trees that can not be listed without being made: with negative values.
wick pprof -callgrind -call_tree -output=$TMP/out -diff_base=server-old.pb.gz server.pb.gz 2>/dev/null
tail -20 $TMP/out
