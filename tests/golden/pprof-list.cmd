wick pprof -list=Find server.pb.gz
