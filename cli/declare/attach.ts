import type { Command } from 'commander'
import type { AttachOptions } from '../commands/attach'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const about = `
The terminal shows the job's output. If the job was submitted with --tty or "tty: true", your keys go to the job.
Ctrl-A d detaches and leaves the job running, as in GNU Screen. Ctrl-A a sends Ctrl-A. You can attach again from any
machine, and several times at once. The exit code is the job's, or 0 if you detach. In a pipe, gpuq prints the output.`

/** Commands for the terminals of running jobs. */
export function declareAttach(program: Command): void {
  program
    .command('attach')
    .description('connect your terminal to a running job; detach with Ctrl-A d')
    .argument('<id>', 'id of the job, or the start of it')
    .option('--escape <key>', 'escape key instead of Ctrl-A, such as ^b')
    .option(
      '--rank <number>',
      'task of a multi-node job; without a terminal, print only its output',
      parseInteger,
    )
    .addHelpText('after', about)
    .action((id: string, options: AttachOptions) =>
      runLazily(async (context) => (await import('../commands/attach')).attach(context, id, options)),
    )
  program
    .command('screens')
    .description('list running jobs and whether they have a terminal')
    .option('--all', 'jobs of all users (admins only)')
    .option(...jsonFlag)
    .action((options: { all?: boolean; json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/attach')).screens(context, options)),
    )
}
