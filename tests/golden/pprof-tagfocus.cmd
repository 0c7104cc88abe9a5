wick pprof -tags -tagfocus=user=bob server.pb.gz
