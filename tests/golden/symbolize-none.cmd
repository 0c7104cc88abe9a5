wick symbolize
