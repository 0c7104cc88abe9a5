wick doctor -p 1 inlines
