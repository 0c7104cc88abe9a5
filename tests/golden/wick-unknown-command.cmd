wick verison
