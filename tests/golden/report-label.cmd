wick report tags server.pb.gz
