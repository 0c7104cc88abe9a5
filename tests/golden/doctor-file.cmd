wick doctor inlines
