echo 0x400120 | wick symbolize --json inlines
