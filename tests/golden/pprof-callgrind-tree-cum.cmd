# Trees by cum, which are listed and then put in order; and of means.
wick pprof -callgrind -call_tree -cum -output=/dev/stdout stacks.folded 2>/dev/null | tail -25
wick pprof -callgrind -call_tree -cum -output=$TMP/out server.pb.gz 2>/dev/null
tail -20 $TMP/out
wick pprof -callgrind -call_tree -cum -mean -output=$TMP/out server.pb.gz 2>/dev/null
head -40 $TMP/out
wick pprof -callgrind -call_tree -mean -output=$TMP/out server.pb.gz 2>/dev/null
head -40 $TMP/out
