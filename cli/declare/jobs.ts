import type { Command } from 'commander'
import type { ArtifactsOptions } from '../commands/artifacts'
import type { JobsOptions } from '../commands/jobs'
import type { LogsOptions, ResultsOptions } from '../commands/logs'
import type { StatusOptions } from '../commands/status'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const jobIdHelp = 'the id of a job, or its beginning'

/** The commands about jobs that are there. */
export function declareJobs(program: Command): void {
  program
    .command('jobs')
    .description('list your jobs, the newest first')
    .option('--status <status>', 'only those: pending, running, completed, failed or cancelled')
    .option('--competition <id>', 'only those for this')
    .option('--project <id>', 'only those of this project')
    .option('--limit <number>', 'at most so many', parseInteger, 20)
    .option('--all', "everybody's, for admins")
    .option(...jsonFlag)
    .action((options: JobsOptions) =>
      runLazily(async (context) => (await import('../commands/jobs')).jobs(context, options)),
    )
  program
    .command('status')
    .description('show a job; or the cluster and its queue')
    .argument('[id]', jobIdHelp)
    .option('-w, --watch', 'show it live')
    .option(...jsonFlag)
    .action((id: string | undefined, options: StatusOptions) =>
      runLazily(async (context) => (await import('../commands/status')).status(context, id, options)),
    )
  program
    .command('wait')
    .description('wait for jobs to end; end as the first one does that did not complete')
    .argument('<id...>', jobIdHelp)
    .option(...jsonFlag)
    .action((ids: string[], options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/wait')).wait(context, ids, options)),
    )
  program
    .command('cancel')
    .description('cancel jobs, wherever they are')
    .argument('<id...>', jobIdHelp)
    .action((ids: string[]) =>
      runLazily(async (context) => (await import('../commands/wait')).cancel(context, ids)),
    )
  declareOutput(program)
}

function declareOutput(program: Command): void {
  program
    .command('logs')
    .description('print what a job has printed, stdout and stderr each to its own')
    .argument('<id>', jobIdHelp)
    .option('-f, --follow', 'go on as it prints, and end as the job does')
    .option('--rank <number>', 'of a job over several nodes, only this task, without labels', parseInteger)
    .action((id: string, options: LogsOptions) =>
      runLazily(async (context) => (await import('../commands/logs')).logs(context, id, options)),
    )
  program
    .command('artifacts')
    .description('list the files that a job left in /results, or save them')
    .argument('<id>', jobIdHelp)
    .option('-o, --output <dir>', 'save them there, each under its path')
    .option(...jsonFlag)
    .action((id: string, options: ArtifactsOptions) =>
      runLazily(async (context) => (await import('../commands/artifacts')).artifacts(context, id, options)),
    )
  program
    .command('results')
    .description("print a job's result file, JSON Lines")
    .argument('<id>', jobIdHelp)
    .option('-o, --output <file>', 'write it there')
    .option('--json', 'print what the API sums up of it')
    .action((id: string, options: ResultsOptions) =>
      runLazily(async (context) => (await import('../commands/logs')).results(context, id, options)),
    )
}
