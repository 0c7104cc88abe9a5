wick --help | head -n 6
