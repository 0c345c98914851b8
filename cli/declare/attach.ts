import type { Command } from 'commander'
import type { AttachOptions } from '../commands/attach'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const about = `
What the job writes appears here, and what is typed here goes to the job, where it was submitted with --tty or "tty: true".
Ctrl-A d leaves it running, as in GNU Screen; Ctrl-A a types Ctrl-A. Attach again from anywhere, and from several places
at once. gpuq ends as the job does, or with 0 when it was left running. In a pipe, the output is printed as it comes.`

/** The commands about the terminals of running jobs. */
export function declareAttach(program: Command): void {
  program
    .command('attach')
    .description("put a running job's terminal, or its output, on yours; leave it running with Ctrl-A d")
    .argument('<id>', 'the id of a job, or its beginning')
    .option('--escape <key>', 'another key than Ctrl-A, such as ^b')
    .option(
      '--rank <number>',
      'which task of a job over several nodes; without a terminal: only what this one prints',
      parseInteger,
    )
    .addHelpText('after', about)
    .action((id: string, options: AttachOptions) =>
      runLazily(async (context) => (await import('../commands/attach')).attach(context, id, options)),
    )
  program
    .command('screens')
    .description('list the running jobs, and which of them have a terminal to attach to')
    .option('--all', "everybody's, for admins")
    .option(...jsonFlag)
    .action((options: { all?: boolean; json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/attach')).screens(context, options)),
    )
}
