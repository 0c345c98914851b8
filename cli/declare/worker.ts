import { type Command, Option } from 'commander'
import type { WorkerOptions } from '../commands/worker'
import { runLazily } from './run-lazily'
import { parseCount } from './values'

const about = `
Needs DATABASE_URL, the server's data directory (GPUQ_DATA_DIR or the variables of the bucket) and a Docker engine.
Ctrl-C stops its jobs; gpuq retries them on other nodes. SIGTERM waits until they have ended.`

/** What a further machine runs. */
export function declareWorker(program: Command): void {
  program
    .command('worker')
    .description("serve this machine's GPUs to the server that uses the same database")
    .option('--name <name>', 'name of the node (default: GPUQ_NODE_NAME or the host name)')
    .option('--gpus <number>', 'use only the first GPUs; simulated GPUs if the machine has none', parseCount)
    .addOption(
      new Option('--pool <pool>', 'pool of jobs that the node accepts').choices(['on-demand', 'reserved']),
    )
    .addHelpText('after', about)
    .action((options: WorkerOptions) =>
      runLazily(async (context) => (await import('../commands/worker')).worker(context, options)),
    )
}
