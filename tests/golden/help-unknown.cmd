wick help frobnicate
