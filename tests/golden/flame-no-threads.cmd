wick flame --per-thread stacks.folded
