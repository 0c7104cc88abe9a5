wick convert stacks.folded $TMP/x.pb.gz && wick convert --to=folded $TMP/x.pb.gz -
