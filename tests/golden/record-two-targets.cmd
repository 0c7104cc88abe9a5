wick record -a true
