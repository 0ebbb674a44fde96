import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scripts, treeOf, type Shell } from './completion';
import { Context } from './context';
import { buildProgram } from './program';

const tree = treeOf(buildProgram(new Context(new AbortController().signal, () => undefined)));

/** The words that bash offers after these. */
function completed(...words: string[]): string[] {
  const typed = ['aps', ...words].map((word) => `'${word}'`).join(' ');
  const call = `${scripts.bash(tree)}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _aps; echo "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', call], { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(stderr);
  return stdout.trim().split(' ');
}

test('bash completes commands, commands of a group, and options after arguments', () => {
  expect(completed('acc')).toEqual(['accounts']);
  expect(completed('policy', '')).toEqual(['show', 'set', 'check', '--version', '--json', '--keypair', '--program-id', '--help']);
  expect(completed('policy', 'set', 'acct_1', '--max-s')).toEqual(['--max-single-transfer', '--max-session-cap']);
});

/** For a hang: a shell starts in less than a second. */
const SHELL_TIMEOUT_MS = 60_000;
const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;
/** CI installs zsh and fish. */
const withShell = (shell: string) => (isInstalled(shell) ? test : test.skip);

/** Starts an interactive zsh on a terminal of its own, types a line with three Tabs, and prints the line that was run. */
const ZSH_TERMINAL = `
zmodload zsh/zpty
zpty shell 'HISTFILE= zsh -f -i'
zpty -w shell 'source setup'
zpty -r shell output $'*ready\r*'
zpty -w -n shell $'aps polic\tse\t--max-se\t\n'
zpty -r shell output $'*ran: *.\r*'
print -r -- "\${\${output##*ran: }%%.*}"
zpty -d shell`;

withShell('zsh').each([
  ['sourced', 'autoload -Uz compinit; compinit -u -D; source ./_aps'],
  ['a file of fpath', 'fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D'],
])('an interactive zsh completes commands and options from the first Tab on, with the script %s', (_how, setup) => {
  const cwd = mkdtempSync(join(tmpdir(), 'aps-completion-'));
  try {
    writeFileSync(join(cwd, '_aps'), scripts.zsh(tree));
    writeFileSync(join(cwd, 'setup'), `${setup}; aps() { print "ran: $*." }; print ready`);
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', ZSH_TERMINAL], { cwd, encoding: 'utf8', timeout: SHELL_TIMEOUT_MS });
    expect([stdout.trim(), stderr]).toEqual(['policy set --max-session-cap', '']);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});

withShell('fish')('fish completes commands, commands of a group, and options after arguments', () => {
  const lines = ['aps acc', 'aps policy ', 'aps policy set acct_1 --max-s'].map((line) => `complete -C "${line}"`);
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', [scripts.fish(tree), ...lines].join('\n')], {
    encoding: 'utf8',
    timeout: SHELL_TIMEOUT_MS,
  });
  const words = stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
  expect([words, stderr]).toEqual([['accounts', 'check', 'set', 'show', '--max-session-cap', '--max-single-transfer'], '']);
});

test.each(Object.keys(scripts) as Shell[])('the %s script names every command and option of the program', (shell) => {
  const script = scripts[shell](tree);
  const names = tree.flatMap(({ commands, options }) => [
    ...commands.map(({ name }) => name),
    ...options.map(({ name }) => name.replace('--', '')),
  ]);
  expect(names.filter((name) => !script.includes(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(100);
});
