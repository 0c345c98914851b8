import type { Command } from 'commander'
import type { AddOptions } from '../commands/add'
import type { StartOptions } from '../commands/start'
import { jsonFlag, runLazily } from './run-lazily'
import {
  parseCount,
  parseGpus,
  parseLinePriority,
  parseNumber,
  parsePort,
  parseSeconds,
  parseShare,
} from './values'

const aboutStart = `
A line of the jobs file: priority,script_path,conda_env,arguments,allowed_gpus. A lower priority goes first.
Where gpuq runs already with this data directory, it is used; where GPUQ_SERVER names a server, only the files are watched.`

/** One machine and its files: what stands in place of a batch queue's daemon. */
export function declareStart(program: Command): void {
  program
    .command('start')
    .description("serve this machine's GPUs, and make a job of every line of a file")
    .option('--gpus <number>', 'only the first so many; simulated ones where there is none', parseCount)
    .option('--jobs-file <path>', 'the file of jobs', 'jobs.txt')
    .option('--llm-config <path>', 'how many GPUs each model needs', 'llm_config.json')
    .option(
      '--state-file <path>',
      'where the state is written for others, and wishes are read',
      'gpu_scheduler_state.json',
    )
    .option('--log-file <path>', 'where it is written what was done', 'gpu_scheduler.log')
    .option('--screen', 'give every job a terminal, to which `gpuq attach` attaches')
    .option(
      '--mem-threshold <share>',
      'GPUs whose memory others use beyond it are left out (at first: 0.8)',
      parseShare,
    )
    .option(
      '--load-threshold <share>',
      'GPUs that others load beyond it are left out (at first: 0.8)',
      parseShare,
    )
    .option('--monitor-interval <seconds>', 'look at the files at least so often', parseSeconds, 30)
    .option('--state-interval <seconds>', 'read and write the state file so often', parseSeconds, 20)
    .option(
      '--max-assign-attempts <number>',
      'how often a place is sought for a job before it fails',
      parseCount,
      5,
    )
    .option('--assign-retry-wait <seconds>', 'before the second of them; doubled each time', parseNumber, 5)
    .option('--port <number>', 'where it is served (default: PORT, or 8001)', parsePort)
    .option('--data-dir <path>', "where its data is (default: GPUQ_DATA_DIR, or the checkout's data)")
    .addHelpText('after', aboutStart)
    .action((options: StartOptions) =>
      runLazily(async (context) => (await import('../commands/start')).start(context, options)),
    )
  declareAdd(program)
}

function declareAdd(program: Command): void {
  program
    .command('add')
    .description('queue a script, or write the line of it into a file')
    .argument('<script>', 'the Python program')
    .option('--conda <name>', 'the environment it runs in (default: the default one)')
    .option('--args <text>', 'arguments for it, as one text')
    .option('--priority <number>', 'a lower number goes first, as in the file', parseLinePriority, 0)
    .option('--gpus <numbers>', 'the only GPUs it may use, such as 0-3,5', parseGpus)
    .option('--output-file <path>', 'add the line to this file; else the job is queued at once')
    .option('--with-dir', "ship the script's directory, which the job starts in a copy of")
    .option('--force', 'queue it even where the same job is alive or has completed')
    .option(...jsonFlag)
    .action((script: string, options: AddOptions) =>
      runLazily(async (context) => (await import('../commands/add')).add(context, script, options)),
    )
}
