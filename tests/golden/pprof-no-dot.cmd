# Without Graphviz there are no pictures, and wick says so.
dir=$(dirname "$(command -v wick)")
PATH=$dir wick pprof -svg server.pb.gz
