wick flame --diff --folded server-old.pb.gz server.pb.gz
