wick convert server.pb.gz out.unknown
