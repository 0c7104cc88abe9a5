wick report --json --count 2 server.pb.gz
