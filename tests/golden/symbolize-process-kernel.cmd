wick symbolize -p 1 --kernel 1
