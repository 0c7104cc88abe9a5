wick report
