wick diff server-old.pb.gz server.pb.gz
