import type { Command } from 'commander'
import { jobIdHelp, lazilyOfJob } from '../declare/command'

const aboutSync = `
gpuq run --sync and agents start jobs in a working directory of this machine. The files that such a job writes there return
while this command runs. A file that was changed here meanwhile stays: the job's version is saved beside it. The working directory
must be the current directory or below it; --into names another one. Files that decide what is sent from here (.gpuqignore,
.gitignore) and files of .git never return. Only your own jobs can be synchronized.`

/** The command for the files that jobs change in their working directory. */
export function declareSync(program: Command): void {
  program
    .command('sync')
    .description('follow a job, and bring the files that it changes back to its working directory')
    .argument('<id>', jobIdHelp)
    .option('--into <dir>', 'bring the files to this directory instead; it is created if it is missing')
    .option('-q, --quiet', 'print only the output of the job, and where its files return')
    .addHelpText('after', aboutSync)
    .action(lazilyOfJob(async () => (await import('./sync')).sync))
}
