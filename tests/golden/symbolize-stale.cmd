wick symbolize --build-id=00ff inlines 1
