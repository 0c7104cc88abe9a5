wick doctor --json inlines
