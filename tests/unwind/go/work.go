// SPDX-License-Identifier: MIT

// Go stacks of every kind, for tests/unwind/sampled to look at: goroutines,
// calls into C, the runtime on the system stack, callbacks from C.
package main

/*
static volatile unsigned long sink;

__attribute__((noinline)) static void burn(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

extern void fromC(int);

__attribute__((noinline)) static void callBack(int n)
{
	fromC(n);
	sink++;
}
*/
import "C"

import (
	"fmt"
	"os"
	"sort"
	"time"
)

//export fromC
func fromC(n C.int) { compute(int(n)) }

//go:noinline
func compute(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = (i * 7919) % n
	}
	sort.Ints(a)
	return a[0]
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return compute(2000)
	}
	return deep(n-1) + 1
}

//go:noinline
func inC() { C.burn(300000) }

//go:noinline
func throughC() { C.callBack(1000) }

//go:noinline
func allocate() [][]byte {
	var kept [][]byte
	for i := 0; i < 100; i++ {
		kept = append(kept, make([]byte, 100000))
	}
	return kept
}

func work() {
	for {
		deep(20)
		inC()
		throughC()
		allocate()
	}
}

func main() {
	go work()
	go work()
	time.Sleep(20 * time.Second)
	fmt.Fprintln(os.Stderr, "not stopped")
}
