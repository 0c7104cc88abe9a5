wick symbolize README.md 1
