echo 0x40012a | wick symbolize --json inlines
