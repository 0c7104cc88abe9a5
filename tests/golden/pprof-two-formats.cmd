wick pprof -top -tree server.pb.gz
