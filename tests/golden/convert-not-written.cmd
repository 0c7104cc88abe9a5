wick convert --to=legacy server.pb.gz x
