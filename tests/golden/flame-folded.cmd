wick flame --folded --focus=Find --no-inlines server.pb.gz
