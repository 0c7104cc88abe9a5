wick convert ../fuzz/corpus/recording/damaged-middle $TMP/a.wick && wick report $TMP/a.wick
