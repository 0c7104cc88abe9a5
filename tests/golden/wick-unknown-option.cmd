wick --hlep
