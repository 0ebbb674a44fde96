import { Argument } from 'commander';
import { scripts, treeOf, type Shell } from '../completion';
import type { Register } from '../context';

/** `completion` */
export const completion: Register = (program, context) => {
  program
    .command('completion')
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: Shell) => {
      const script = scripts[shell](treeOf(program));
      context.print({ shell, script }, script.trimEnd());
    });
};
