wick completion
