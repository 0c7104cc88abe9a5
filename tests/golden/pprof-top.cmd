wick pprof -top server.pb.gz
