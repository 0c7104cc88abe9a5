wick report server.pb.gz
