wick report summary server.pb.gz
