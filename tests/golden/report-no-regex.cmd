wick report list server.pb.gz
