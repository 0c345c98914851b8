import { type Command, Option } from 'commander'
import { jsonFlag, lazily } from '../declare/command'

/** Commands for the health of nodes. */
export function declareNodeChecks(program: Command): void {
  program
    .command('doctor')
    .description('print the checks of all nodes and what to do (admins only); exits with 1 if one failed')
    .option('--local', 'check this machine, without the server')
    .addOption(
      new Option('--engine <name>', 'with slurm: check the Slurm cluster as this machine sees it').choices([
        'builtin',
        'slurm',
      ]),
    )
    .option(
      '--unix-user <name>',
      'with --engine slurm: also check that jobs can be submitted as this account',
    )
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./doctor')).doctor))
}
