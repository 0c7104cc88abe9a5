wick record -p 12x
