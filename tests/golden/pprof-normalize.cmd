wick pprof -top -normalize -base server-old.pb.gz server.pb.gz
