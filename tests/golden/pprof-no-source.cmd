wick pprof -top 2>&1 | tail -n 1
wick pprof -top 2>/dev/null
