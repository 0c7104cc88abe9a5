wick pprof -top -base=nosuch.pb.gz server.pb.gz
