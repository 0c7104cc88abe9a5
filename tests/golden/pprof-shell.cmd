wick pprof server.pb.gz <<end
top3
top 2 -cum
focus=malloc // only this //: a comment
focus=malloc
top
:
samples
top 1
mean_cpu
o
total_cpu
peek Find
tags bob
top Handle -malloc >$TMP/out
quit
top
end
cat $TMP/out
