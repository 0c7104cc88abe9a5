wick pprof -top unix:/nowhere/at/all
