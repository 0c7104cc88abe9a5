wick record --seconds=soon true
