//! Coverage-guided fuzzing: libFuzzer makes sequences of instructions, and keeps those that reach new jumps of the program's binary. What must
//! hold after each is in `world`. `npm run fuzz:program` runs it.
#![no_main]

mod books;
mod chain;
mod coverage;
mod governing;
mod planned;
mod purses;
mod spending;
mod steps;
mod turn;
mod world;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use mollusk_svm::Mollusk;

use steps::Step;
use world::World;

/// The longest sequence.
const MAX_STEPS: usize = 64;

thread_local! {
    static BEGINNING: RefCell<Option<(Mollusk, World)>> = const { RefCell::new(None) };
}

fuzz_target!(|steps: Vec<Step>| {
    BEGINNING.with_borrow_mut(|beginning| {
        let (vm, world) = beginning.get_or_insert_with(|| {
            let mut vm = chain::a_vm();
            let world = World::new(&mut vm);
            (vm, world)
        });
        let mut world = world.clone();
        for step in steps.iter().take(MAX_STEPS) {
            step.take(&mut world, vm);
        }
    });
});
