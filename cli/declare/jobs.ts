import type { Command } from 'commander'
import type { ArtifactsOptions } from '../commands/artifacts'
import type { JobsOptions } from '../commands/jobs'
import type { LogsOptions, ResultsOptions } from '../commands/logs'
import type { StatusOptions } from '../commands/status'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const jobIdHelp = 'id of the job, or the start of it'

/** Commands for existing jobs. */
export function declareJobs(program: Command): void {
  program
    .command('jobs')
    .description('list your jobs, newest first')
    .option('--status <status>', 'filter by status: pending, running, completed, failed or cancelled')
    .option('--competition <id>', 'filter by competition')
    .option('--project <id>', 'filter by project')
    .option('--limit <number>', 'maximum number of jobs', parseInteger, 20)
    .option('--all', 'jobs of all users (admins only)')
    .option(...jsonFlag)
    .action((options: JobsOptions) =>
      runLazily(async (context) => (await import('../commands/jobs')).jobs(context, options)),
    )
  program
    .command('status')
    .description('show a job, or the cluster and its queue')
    .argument('[id]', jobIdHelp)
    .option('-w, --watch', 'update the display until you press Ctrl-C')
    .option(...jsonFlag)
    .action((id: string | undefined, options: StatusOptions) =>
      runLazily(async (context) => (await import('../commands/status')).status(context, id, options)),
    )
  program
    .command('wait')
    .description('wait for jobs to end; exit with the code of the first job that did not complete')
    .argument('<id...>', jobIdHelp)
    .option(...jsonFlag)
    .action((ids: string[], options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/wait')).wait(context, ids, options)),
    )
  program
    .command('cancel')
    .description('cancel waiting or running jobs')
    .argument('<id...>', jobIdHelp)
    .action((ids: string[]) =>
      runLazily(async (context) => (await import('../commands/wait')).cancel(context, ids)),
    )
  declareOutput(program)
}

function declareOutput(program: Command): void {
  program
    .command('logs')
    .description("print a job's output: its stdout to stdout, its stderr to stderr")
    .argument('<id>', jobIdHelp)
    .option('-f, --follow', "follow the output until the job ends; exit with the job's exit code")
    .option('--rank <number>', 'only this task of a multi-node job, without labels', parseInteger)
    .action((id: string, options: LogsOptions) =>
      runLazily(async (context) => (await import('../commands/logs')).logs(context, id, options)),
    )
  program
    .command('artifacts')
    .description('list or download the files that a job wrote to /results')
    .argument('<id>', jobIdHelp)
    .option('-o, --output <dir>', 'download the files to this directory')
    .option(...jsonFlag)
    .action((id: string, options: ArtifactsOptions) =>
      runLazily(async (context) => (await import('../commands/artifacts')).artifacts(context, id, options)),
    )
  program
    .command('results')
    .description("print a job's result file (JSON Lines)")
    .argument('<id>', jobIdHelp)
    .option('-o, --output <file>', 'write to this file')
    .option('--json', 'print the summary from the API as JSON')
    .action((id: string, options: ResultsOptions) =>
      runLazily(async (context) => (await import('../commands/logs')).results(context, id, options)),
    )
}
