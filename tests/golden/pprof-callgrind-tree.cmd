# A function is another for each node that calls it.
wick pprof -callgrind -call_tree -output=/dev/stdout - <<end
main;serve;read 3
main;serve;parse;read 4
main;parse;read 1
main;parse;parse;read 1
idle 2
end
