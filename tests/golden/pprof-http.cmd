wick pprof -http=example.com:80 server.pb.gz
