# Flags as Go reads them.
wick pprof --top -nodecount 1 -compact_labels=T -- server.pb.gz
wick pprof -top -nodecount=0x1 -compact_labels server.pb.gz
