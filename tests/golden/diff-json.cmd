wick diff --json --count 2 server-old.pb.gz server.pb.gz
