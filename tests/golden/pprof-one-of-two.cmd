wick pprof -top -compact_labels -nodecount=1 nosuch.pb.gz server.pb.gz
