# A reader that goes away early is no failure.
wick help --json | true
