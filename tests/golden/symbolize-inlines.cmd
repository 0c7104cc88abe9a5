wick symbolize inlines 400114 0x40012a ffff
