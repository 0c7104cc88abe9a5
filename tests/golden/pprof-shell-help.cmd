wick pprof server.pb.gz <<end
help
help focus
help top
help tagfocus
help list
help lines
help sample_index
end
