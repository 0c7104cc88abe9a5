wick frobnicate
