# Only -1 is the report's own number of nodes; less is no number, so that light
# edges are counted at the end.
wick pprof -dot -nodecount=-1 -edgefraction=.3 server.pb.gz | grep -o 'Dropped[^\\]*'
wick pprof -dot -nodecount=-5 -edgefraction=.3 server.pb.gz | grep -o 'Dropped[^\\]*'
true
