wick pprof -comments -add_comment='and a remark' server.pb.gz
