# No unit is none of the family, so the family's own; of counts it is none.
wick pprof -top -nodecount=3 -unit= server.pb.gz
wick pprof -top -nodecount=3 -unit= -sample_index=samples server.pb.gz
