wick flame -p 1 server.pb.gz
