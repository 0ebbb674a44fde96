//! Tells libFuzzer which jumps of the program's binary an instruction took. The VM traces the registers of each step; a program counter that
//! does not follow the one before it is a jump.
use mollusk_svm::{InvocationInspectCallback, Mollusk};
use solana_program_runtime::invoke_context::InvokeContext;
use solana_pubkey::Pubkey;
use solana_transaction_context::instruction_accounts::InstructionAccount;

/// Index of the program counter among the traced registers.
const PROGRAM_COUNTER: usize = 11;
/// Number of counters. Two jumps may share one.
const COUNTERS: usize = 1 << 16;

/// libFuzzer reads this section after each input, beside the counters of instrumented code.
/// Source: `compiler-rt/lib/fuzzer/FuzzerExtraCounters.cpp`.
#[no_mangle]
#[link_section = "__libfuzzer_extra_counters"]
static mut JUMPS: [u8; COUNTERS] = [0; COUNTERS];

/// Counts the jumps of one program.
pub struct Jumps {
    pub program: Pubkey,
}

impl InvocationInspectCallback for Jumps {
    fn before_invocation(
        &self,
        _: &Mollusk,
        _: &Pubkey,
        _: &[u8],
        _: &[InstructionAccount],
        _: &mut InvokeContext,
        _: bool,
    ) {
    }

    fn after_invocation(&self, _: &Mollusk, context: &InvokeContext, _: bool) {
        context.iterate_vm_traces(&|instruction, _, trace| {
            if instruction.get_program_key().ok() != Some(&self.program) {
                return;
            }
            for step in trace.windows(2) {
                let (from, to) = (step[0][PROGRAM_COUNTER], step[1][PROGRAM_COUNTER]);
                if to != from + 1 {
                    count(from, to);
                }
            }
        });
    }
}

/// Counts a sequence of instructions that succeeded, as if it were a jump: what one of them does depends on those before it.
pub fn note_sequence(instructions: u64) {
    count(instructions >> 32, instructions);
}

fn count(from: u64, to: u64) {
    let jump = (from << 32 ^ to).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let at = (jump >> 48) as usize % COUNTERS;
    // SAFETY: libFuzzer runs one input at a time, in one thread, and reads the counters between inputs.
    unsafe {
        let counter = (&raw mut JUMPS).cast::<u8>().add(at);
        counter.write(counter.read().saturating_add(1));
    }
}

/// Adds an empty symbol table to a stripped program: a VM that traces refuses one without. Nothing that is loaded changes.
pub fn with_sections(mut elf: Vec<u8>) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.strtab\0.symtab\0";
    const STRING_TABLE: u32 = 3;
    const SYMBOL_TABLE: u32 = 2;
    const SYMBOL_BYTES: u64 = 24;
    let names_at = elf.len() as u64;
    elf.extend_from_slice(NAMES);
    elf.resize(elf.len().next_multiple_of(8), 0);
    let table_at = elf.len() as u64;
    let headers = [
        (0, 0, 0, 0, 0),
        (1, STRING_TABLE, names_at, NAMES.len() as u64, 0),
        (9, SYMBOL_TABLE, names_at, 0, SYMBOL_BYTES),
    ];
    for (name, kind, offset, size, entry) in headers {
        elf.extend_from_slice(&[name, kind].map(u32::to_le_bytes).concat());
        elf.extend_from_slice(&[0, 0, offset, size, 0, 8, entry].map(u64::to_le_bytes).concat());
    }
    elf[40..48].copy_from_slice(&table_at.to_le_bytes());
    elf[60..62].copy_from_slice(&(headers.len() as u16).to_le_bytes());
    elf[62..64].copy_from_slice(&1u16.to_le_bytes());
    elf
}
