// SPDX-License-Identifier: MIT
//
// Functions whose names use as much of Rust's mangling schemes as possible;
// tests/data/names.tsv was made from what rustc calls them.
use std::collections::HashMap;
use std::fmt::{Debug, Display};

pub struct Pair<A, B>(pub A, pub B);

pub trait Shape {
    const SIDES: usize;
    fn area(&self) -> f64;
    fn describe<T: Display>(&self, what: T) -> String {
        format!("{what} {}", Self::SIDES)
    }
}

pub struct Square<const N: usize>;
impl<const N: usize> Shape for Square<N> {
    const SIDES: usize = 4;
    fn area(&self) -> f64 {
        (N * N) as f64
    }
}
impl<A: Debug, B> Pair<A, B> {
    pub fn swap<'a>(&'a self) -> (&'a B, &'a A) {
        (&self.1, &self.0)
    }
    pub fn with<F: for<'x> Fn(&'x A) -> &'x A>(&self, f: F) -> usize {
        let inner = |k: usize| move |j: usize| k + j;
        let _ = f(&self.0);
        inner(1)(2)
    }
}
impl<A> Drop for Wrapper<A> {
    fn drop(&mut self) {
        println!("gone");
    }
}
pub struct Wrapper<A>(pub A);

pub mod inner {
    pub mod größe {
        pub fn naïve<T>(x: &[T]) -> usize {
            x.len()
        }
    }
    pub fn flags<const B: bool, const C: char, const I: i32>() -> i32 {
        if B { I } else { C as i32 }
    }
}
pub fn dynamic(f: &dyn Fn(u8, &str) -> Box<dyn Debug + Send>) -> usize {
    format!("{:?}", f(1, "a")).len()
}
pub fn generic<T>(t: T) -> T {
    t
}
pub unsafe extern "C" fn callback(f: extern "C" fn(*const u8, *mut i64) -> bool) -> bool {
    f(std::ptr::null(), std::ptr::null_mut())
}

fn main() {
    let p = Pair(1u8, "x");
    p.swap();
    p.with(|a| a);
    println!("{}", Square::<3>.describe("s"));
    println!("{}", Square::<7>.area());
    inner::größe::naïve(&[1i128, 2]);
    inner::flags::<true, 'é', -5>();
    inner::flags::<false, '\n', 7>();
    dynamic(&|a, b| Box::new((a, b.len(), [a; 3])));
    generic::<fn(&str) -> usize>(|s| s.len());
    generic::<[(); 2]>([(), ()]);
    generic::<&dyn Shapely<Out = u16>>(&0u32);
    generic::<(i8,)>((1,));
    generic::<*const HashMap<String, Vec<Option<f32>>>>(std::ptr::null());
    generic::<extern "C" fn(*const u8, *mut i64) -> bool>(cb);
    unsafe {
        callback(cb);
    }
    drop(Wrapper(String::new()));
    static COUNT: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
    std::thread::spawn(|| COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)).join().ok();
}
pub trait Shapely {
    type Out;
    fn out(&self) -> Self::Out;
}
impl Shapely for u32 {
    type Out = u16;
    fn out(&self) -> u16 {
        1
    }
}
extern "C" fn cb(_: *const u8, _: *mut i64) -> bool {
    true
}
