wick help --json version
