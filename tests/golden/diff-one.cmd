wick diff server.pb.gz
