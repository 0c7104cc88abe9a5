wick version now
