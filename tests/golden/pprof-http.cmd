wick pprof -http=:0 server.pb.gz
