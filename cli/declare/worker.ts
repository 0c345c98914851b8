import { type Command, Option } from 'commander'
import type { WorkerOptions } from '../commands/worker'
import { runLazily } from './run-lazily'
import { parseCount } from './values'

const about = `
It needs DATABASE_URL, the data directory that the server uses (GPUQ_DATA_DIR, or the bucket's variables), and a Docker
engine. Ctrl-C stops its jobs, which are tried again elsewhere; SIGTERM lets them end first.`

/** What a further machine runs. */
export function declareWorker(program: Command): void {
  program
    .command('worker')
    .description("serve this machine's GPUs to the server on the same database")
    .option('--name <name>', "the node's name (default: GPUQ_NODE_NAME, or the host's)")
    .option('--gpus <number>', 'only the first so many; simulated ones where there is none', parseCount)
    .addOption(new Option('--pool <pool>', 'whose jobs it takes').choices(['on-demand', 'reserved']))
    .addHelpText('after', about)
    .action((options: WorkerOptions) =>
      runLazily(async (context) => (await import('../commands/worker')).worker(context, options)),
    )
}
