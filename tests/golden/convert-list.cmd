wick convert --list
