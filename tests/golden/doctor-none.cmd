wick doctor
