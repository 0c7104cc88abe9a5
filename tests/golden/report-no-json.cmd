wick report --json traces server.pb.gz
