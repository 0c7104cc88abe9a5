wick pprof -svg server.pb.gz | grep -c 'id="viewport"'
