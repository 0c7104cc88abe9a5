wick pprof -top nosuch.pb.gz nosuch2.pb.gz
