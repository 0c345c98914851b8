import { type Command, Option } from 'commander'
import { jsonFlag, lazily } from '../declare/command'
import { parseCount, parseNumber, parsePort } from '../declare/values'
import { parseGpus, parseLinePriority, parseSeconds, parseShare } from './option-values'

const aboutStart = `
Format of a line in the jobs file: priority,script_path,conda_env,arguments,allowed_gpus. Lower priorities start first.
If gpuq already runs with this data directory, the command uses it. If GPUQ_SERVER is set, it only watches the files.`

const aboutWorker = `
Needs DATABASE_URL, the server's data directory (GPUQ_DATA_DIR or the variables of the bucket) and a Docker engine.
Ctrl-C stops its jobs; gpuq retries them on other nodes. SIGTERM waits until they have ended.`

const gpusFlag = [
  '--gpus <number>',
  'use only the first GPUs; simulated GPUs if the machine has none',
  parseCount,
] as const

/** Commands that serve this machine, and that queue scripts as the lines of a jobs file do. */
export function declareStart(program: Command): void {
  program
    .command('start')
    .description("serve this machine's GPUs and submit each line of a file as a job")
    .option(...gpusFlag)
    .option('--jobs-file <path>', 'file with one job per line', 'jobs.txt')
    .option('--llm-config <path>', 'file with the number of GPUs that each model needs', 'llm_config.json')
    .option(
      '--state-file <path>',
      'file for the current state; gpuq reads pause requests from it',
      'gpu_scheduler_state.json',
    )
    .option('--log-file <path>', 'log file', 'gpu_scheduler.log')
    .option('--log-dir <path>', "directory for the jobs' log files", '/tmp/gpu_scheduler_logs')
    .option('--screen', 'run every job in a session of GNU Screen; jobs go on when gpuq stops')
    .option('--isolated', 'run scripts as uploaded files, without their directory and conda environments')
    .option(
      '--mem-threshold <share>',
      'skip GPUs on which other programs use more than this share of memory (initially 0.8)',
      parseShare,
    )
    .option(
      '--load-threshold <share>',
      'skip GPUs that other programs load beyond this share (initially 0.8)',
      parseShare,
    )
    .option('--monitor-interval <seconds>', 'longest time between two checks of the files', parseSeconds, 30)
    .option('--state-interval <seconds>', 'time between two updates of the state file', parseSeconds, 20)
    .option('--max-assign-attempts <number>', 'placement attempts before a job fails', parseCount, 5)
    .option(
      '--assign-retry-wait <seconds>',
      'wait before the second attempt; doubles each time',
      parseNumber,
      5,
    )
    .option('--port <number>', 'port of the server (default: PORT or 8001)', parsePort)
    .option('--data-dir <path>', "data directory (default: GPUQ_DATA_DIR or the checkout's data)")
    .option('--workdir <path>', 'directory in which commands of the project "default" run, for all users')
    .addHelpText('after', aboutStart)
    .action(lazily(async () => (await import('./start')).start))
  program
    .command('stop')
    .description('stop the gpuq of this machine and its running jobs, also those that `start --screen` left')
    .option('--data-dir <path>', "data directory (default: GPUQ_DATA_DIR or the checkout's data)")
    .addHelpText('after', '\nThe jobs begin again at the next start. To end a job for good: gpuq cancel.')
    .action(lazily(async () => (await import('./stop')).stop))
  program
    .command('add')
    .description('queue a script, or append it to a jobs file')
    .argument('<script>', 'Python program')
    .option('--conda <name>', 'conda environment of this machine, or environment of the server')
    .option('--args <text>', 'arguments for the program, as one string')
    .option('--priority <number>', 'lower numbers start first, as in the jobs file', parseLinePriority, 0)
    .option('--gpus <numbers>', 'allowed GPUs, such as 0-3,5', parseGpus)
    .option('--output-file <path>', 'append to this jobs file instead of queueing the job')
    .option('--with-dir', "upload the script's directory; the job starts in a copy of it")
    .option('--isolated', 'upload the script, even if the server could run it in its own directory')
    .option('--force', 'queue the job even if the same job is active or completed')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('./add')).add))
  program
    .command('worker')
    .description("serve this machine's GPUs to the server that uses the same database")
    .option('--name <name>', 'name of the node (default: GPUQ_NODE_NAME or the host name)')
    .option(...gpusFlag)
    .addOption(
      new Option('--pool <pool>', 'pool of jobs that the node accepts').choices(['on-demand', 'reserved']),
    )
    .addHelpText('after', aboutWorker)
    .action(lazily(async () => (await import('./worker')).worker))
}
