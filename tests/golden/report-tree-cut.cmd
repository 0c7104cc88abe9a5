wick report tree --count 4 server.pb.gz
