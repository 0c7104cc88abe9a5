wick symbolize inlines here
