wick flame --
