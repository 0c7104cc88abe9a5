wick pprof -top -compact_labels - <server.pb.gz
