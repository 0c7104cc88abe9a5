wick --color=alway version
