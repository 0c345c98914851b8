import type { Command } from 'commander'
import { jobIdHelp, jsonFlag, lazilyOfJob } from '../declare/command'

/** The command for the files of /results. */
export function declareArtifacts(program: Command): void {
  program
    .command('artifacts')
    .description('list or download the files that a job wrote to /results')
    .argument('<id>', jobIdHelp)
    .option('-o, --output <dir>', 'download the files to this directory')
    .option(...jsonFlag)
    .action(lazilyOfJob(async () => (await import('./artifacts')).artifacts))
}
