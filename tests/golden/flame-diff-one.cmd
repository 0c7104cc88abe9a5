wick flame --diff server.pb.gz
