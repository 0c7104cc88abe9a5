# Nobody listens there, and it takes no time to find out.
wick pprof -top http://127.0.0.1:1/x
