wick flame --diff a b c
