wick record
