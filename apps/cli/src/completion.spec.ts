import { spawnSync } from 'node:child_process';
import { scripts, treeOf, type Shell } from './completion';
import { Context } from './context';
import { buildProgram } from './program';

const tree = treeOf(buildProgram(new Context(new AbortController().signal, () => undefined)));

/** What bash offers after these words. */
function completed(...words: string[]): string[] {
  const typed = ['aps', ...words].map((word) => `'${word}'`).join(' ');
  const call = `${scripts.bash(tree)}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _aps; echo "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', call], { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(stderr);
  return stdout.trim().split(' ');
}

test('bash completes commands, commands of a group, and options after arguments', () => {
  expect(completed('acc')).toEqual(['accounts']);
  expect(completed('policy', '')).toEqual(['show', 'set', 'check', '--json', '--help']);
  expect(completed('policy', 'set', 'acct_1', '--max-s')).toEqual(['--max-single-transfer', '--max-session-cap']);
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
