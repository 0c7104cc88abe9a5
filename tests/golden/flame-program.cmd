wick flame -- sleep 1
