wick pprof -top nosuch.pb.gz
