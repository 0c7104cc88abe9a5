wick flame
