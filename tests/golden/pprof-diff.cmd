wick pprof -top -diff_base=server-old.pb.gz server.pb.gz
