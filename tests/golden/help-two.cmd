wick help version help
