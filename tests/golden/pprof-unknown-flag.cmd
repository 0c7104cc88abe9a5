# The mistake comes last, behind all that could have been meant.
wick pprof -topp server.pb.gz 2>&1 | tail -n 1
wick pprof -topp server.pb.gz 2>/dev/null
