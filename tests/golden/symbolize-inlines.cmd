wick symbolize inlines 400120 0x40012c ffff
