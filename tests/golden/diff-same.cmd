wick diff server.pb.gz server.pb.gz
