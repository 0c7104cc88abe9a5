wick report tree stacks.folded
