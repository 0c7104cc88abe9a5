wick pprof server.pb.gz <<end
nosuch
nosuch7
nodecount
nodecount=x
nodefraction=
granularity=inches
trim=maybe
sample_index=nope
lines
focus main
list
peek nothing
top >
top [
peek [
help nothing
end
