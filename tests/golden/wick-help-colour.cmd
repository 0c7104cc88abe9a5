wick --color=always --help | head -n 1
