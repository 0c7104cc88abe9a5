// SPDX-License-Identifier: MIT
//! A Rust program that profiles itself with libwick.a, through its C API:
//!
//!     rustc -g -O examples/profiled.rs -L build -l static=wick
//!     ./profiled rust.pprof

use std::collections::HashMap;
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_uint};

/// As in wick.h.
#[repr(C)]
#[derive(Default)]
struct WickOptions {
    size: usize,
    hz: c_uint,
    wall: c_int,
    no_symbols: c_int,
}

extern "C" {
    fn wick_cpu_start(options: *const WickOptions) -> c_int;
    fn wick_cpu_stop_file(path: *const c_char) -> c_int;
    fn wick_label_set(key: *const c_char, value: *const c_char) -> c_int;
}

/// Runs what is given with a label on its samples.
fn labelled<T>(key: &str, value: &str, run: impl FnOnce() -> T) -> T {
    let (key, value) = (CString::new(key).unwrap(), CString::new(value).unwrap());
    // SAFETY: both are valid for the call, which copies them.
    unsafe { wick_label_set(key.as_ptr(), value.as_ptr()) };
    run()
}

#[inline(never)]
fn count_words(rounds: u64) -> usize {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for i in 0..rounds {
        *counts.entry(format!("word{}", i * i % 5003)).or_default() += 1;
    }
    counts.len()
}

#[inline(never)]
fn collatz(limit: u64) -> u64 {
    (1..limit)
        .map(|start| {
            let (mut n, mut steps) = (start, 0);
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                steps += 1;
            }
            steps
        })
        .max()
        .unwrap()
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or("rust.pprof".into());
    let path = CString::new(path).expect("a path");
    let options = WickOptions {
        size: std::mem::size_of::<WickOptions>(),
        hz: 1000,
        ..Default::default()
    };

    // SAFETY: the options live longer than the call.
    assert_eq!(unsafe { wick_cpu_start(&options) }, 0);
    let words = std::thread::spawn(|| labelled("job", "words", || count_words(5_000_000)));
    let steps = labelled("job", "collatz", || collatz(2_000_000));
    println!("{} words, {} steps", words.join().unwrap(), steps);
    // SAFETY: the path is a C string.
    assert_eq!(unsafe { wick_cpu_stop_file(path.as_ptr()) }, 0);
}
