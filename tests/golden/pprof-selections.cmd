wick pprof -top -nodecount=1 -contentions -mean_delay server.pb.gz
