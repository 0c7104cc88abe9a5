wick pprof -top -compact_labels server.pb.gz server-old.pb.gz
