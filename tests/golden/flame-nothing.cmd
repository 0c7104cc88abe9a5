wick flame --focus=nowhere stacks.folded
