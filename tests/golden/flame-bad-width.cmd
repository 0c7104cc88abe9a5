wick flame --min-width=wide stacks.folded
