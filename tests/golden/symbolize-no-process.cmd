wick symbolize -p 4194304 1
