# A comment is one line of the legend, and its name, whatever is in it.
wick pprof -dot -add_comment='one
two' stacks.folded | grep cluster
