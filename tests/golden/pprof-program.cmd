# A first operand that is a program names the main one.
wick pprof -top -nodecount=1 /bin/sh server.pb.gz
