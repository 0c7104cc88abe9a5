# Of real code, with what is inlined: the first lines, and how long it is.
wick pprof -callgrind -call_tree -output=$TMP/out server.pb.gz 2>/dev/null
head -50 $TMP/out
wc -l < $TMP/out
wick pprof -callgrind -call_tree -hide=parse -output=$TMP/out server.pb.gz 2>/dev/null
tail -20 $TMP/out
wc -l < $TMP/out
