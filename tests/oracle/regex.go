// SPDX-License-Identifier: MIT
//
// What Go's package regexp answers.  A line in is a pattern and a text, in
// hexadecimal, with a space between; a line out is "error" and the message in
// hexadecimal, "no", or the offsets of the match and its groups.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
	"strings"
)

func answer(pattern, text string) string {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "error " + hex.EncodeToString([]byte(err.Error()))
	}
	found := re.FindStringSubmatchIndex(text)
	if found == nil {
		return "no"
	}
	return strings.Trim(fmt.Sprint(found), "[]")
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		words := strings.SplitN(in.Text(), " ", 2)
		pattern, _ := hex.DecodeString(words[0])
		text, _ := hex.DecodeString(words[1])
		fmt.Fprintln(out, answer(string(pattern), string(text)))
	}
}
