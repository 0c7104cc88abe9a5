wick pprof -top ../fuzz/corpus/recording/cut-in-block
