wick convert --to=wick server.pb.gz - | wick report --count 3 -
