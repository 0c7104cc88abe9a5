wick report --focus=Parse --by=lines server.pb.gz
