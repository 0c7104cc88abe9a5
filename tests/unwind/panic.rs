// SPDX-License-Identifier: MIT
// Rust panics in flight, for tests/unwind/truth to step through.
use std::panic;

// std::hint::black_box is not in Debian 12's rustc.
fn black_box<T>(value: T) -> T {
    let held = std::mem::ManuallyDrop::new(value);
    unsafe { std::ptr::read_volatile(&*held) }
}

struct Guard<'a>(&'a mut u32);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        *self.0 += 1;
    }
}

#[inline(never)]
fn thrower(n: u32, counter: &mut u32) -> u32 {
    let guard = Guard(counter);
    if black_box(n) == 0 {
        panic!("thrown");
    }
    thrower(n - 1, guard.0) + 1
}

#[no_mangle]
pub extern "C" fn case_panic() {
    let mut counter = 0;
    let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        thrower(2, &mut counter)
    }));
    assert!(caught.is_err() && counter == 3);
}

#[no_mangle]
pub extern "C" fn case_resume_panic() {
    let mut counter = 0;
    let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let inner = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            thrower(1, &mut counter)
        }));
        panic::resume_unwind(inner.unwrap_err());
    }));
    assert!(caught.is_err());
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let cases: [extern "C" fn(); 2] = [case_panic, case_resume_panic];
    for case in black_box(cases) {
        case();
    }
}
