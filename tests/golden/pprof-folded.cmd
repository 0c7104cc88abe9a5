wick pprof -top stacks.folded
