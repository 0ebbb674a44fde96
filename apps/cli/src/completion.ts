/** Completion scripts, made of the commands and options of the program. */
import type { Command } from 'commander';

/** The words that may follow a path of commands, such as "policy set". */
export interface Node {
  path: string;
  commands: { name: string; description: string }[];
  options: { name: string; description: string }[];
}

export type Shell = keyof typeof scripts;

/** The program's commands, depth first. */
export function treeOf(program: Command): Node[] {
  const shared = [...optionsOf(program), { name: '--help', description: 'show the options' }];
  const visit = (command: Command, path: string): Node[] => {
    const children = command.commands.map((child) => ({ child, name: child.name() }));
    const commands = children.map(({ child, name }) => ({ name, description: child.description() }));
    const options = command === program ? shared : [...optionsOf(command), ...shared];
    return [{ path, commands, options }, ...children.flatMap(({ child, name }) => visit(child, `${path} ${name}`.trim()))];
  };
  return visit(program, '');
}

/** The script of each shell. */
export const scripts = { bash, zsh, fish };

function bash(tree: Node[]): string {
  return `# aps completion for bash: source <(aps completion bash)
_aps() {
  local path="" word words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path/$word" in
${steps(tree)}
    esac
  done
  case "$path" in
${cases(tree, (names) => `words="${names.join(' ')}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _aps aps
`;
}

function zsh(tree: Node[]): string {
  return `#compdef aps
# aps completion for zsh: source <(aps completion zsh), after compinit; or a file _aps in a directory of fpath
_aps() {
  local path_of_commands="" word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_of_commands/$word" in
${steps(tree).replaceAll('path=', 'path_of_commands=')}
    esac
  done
  case "$path_of_commands" in
${cases(tree, (names) => `candidates=(${names.join(' ')})`)}
  esac
  compadd -- $candidates || _files
}
# As a file of fpath this script is the body of _aps: the first completion runs it, and must complete.
if [[ "\${funcstack[1]}" == _aps ]]; then _aps "$@"; else compdef _aps aps; fi
`;
}

function fish(tree: Node[]): string {
  const lines = tree.flatMap(({ path, commands, options }) => [
    ...commands.map(({ name, description }) => `complete -c aps -f -n '__aps_at "${path}"' -a ${name} -d ${quoted(description)}`),
    ...options.map(({ name, description }) => `complete -c aps -n '__aps_at "${path}"' -l ${name.slice(2)} -d ${quoted(description)}`),
  ]);
  return `# aps completion for fish: aps completion fish | source
function __aps_at
  set -l path ""
  for word in (commandline -opc)[2..-1]
    switch "$path/$word"
${childrenOf(tree)
  .map(({ parent, name, path }) => `      case "${parent}/${name}"\n        set path "${path}"`)
  .join('\n')}
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** The case clauses that follow a word to the next path. */
function steps(tree: Node[]): string {
  return childrenOf(tree)
    .map(({ parent, name, path }) => `      "${parent}/${name}") path="${path}" ;;`)
    .join('\n');
}

function cases(tree: Node[], action: (names: string[]) => string): string {
  return tree
    .map(({ path, commands, options }) => `    "${path}") ${action([...commands, ...options].map(({ name }) => name))} ;;`)
    .join('\n');
}

function childrenOf(tree: Node[]): { parent: string; name: string; path: string }[] {
  return tree.flatMap(({ path: parent, commands }) => commands.map(({ name }) => ({ parent, name, path: `${parent} ${name}`.trim() })));
}

function optionsOf(command: Command): Node['options'] {
  return command.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
}

/** In single quotes for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
