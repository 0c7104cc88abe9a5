wick report tree --count 12 server.pb.gz
