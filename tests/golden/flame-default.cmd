cp server.pb.gz $TMP && cd $TMP && wick flame server.pb.gz && wick flame --html server.pb.gz && ls flame.*
