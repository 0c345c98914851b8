import type { Command } from 'commander'
import { lazily } from '../declare/command'
import { addVariable, parseCount, parseDuration, parseNumber } from '../declare/values'

const about = `
Uploads the directory, requests new nodes for this job alone, and returns. The nodes are removed after the job, however it
ends. Prints the address of the live log, and the bucket's URL of the final log.
The admin's provisioner gets --CQR_EXTRA_ARGS. --reserved and --best-effort choose the pool; the default is on-demand.`

/** `gpuq multihost-job`, with the options of multihost_job.py. */
export function declareMultihostJob(program: Command): void {
  program
    .command('multihost-job')
    .description('run a command on several new nodes, with the options of multihost_job.py')
    .requiredOption('--COMMAND <text>', 'command for /bin/sh, run on each node in a copy of the directory')
    .option('--NUM_SLICES <number>', 'number of nodes', parseCount, 1)
    .option('--RUN_NAME <name>', 'name of the run, unique among active jobs of the project')
    .option('--BUCKET_NAME <name>', "bucket of the project (default: the project's bucket, if it has one)")
    .option('--CQR_EXTRA_ARGS <text>', 'options for the request of the nodes, such as "--reserved"')
    .option('--SCRIPT_DIR <directory>', 'directory to upload', '.')
    .option('--project <id>', 'project (default: "default")')
    .option('--gpus <number>', 'number of GPUs of each node', parseNumber)
    .option('--gpu-model <name>', 'only GPUs whose model name contains this')
    .option('--cpu <cores>', 'CPU cores of each node', parseNumber)
    .option('--memory <gb>', 'memory of each node in GB; half of it holds the files', parseNumber)
    .option('--expected-time <time>', 'expected run time: 300, 90s, 10m, 2h', parseDuration)
    .option('--environment <name>', 'container image to run in')
    .option('-e, --env <name=value>', 'environment variable; repeatable', addVariable)
    .option('-q, --quiet', 'print only the two addresses')
    .option('--json', 'print JSON')
    .addHelpText('after', about)
    .action(lazily(async () => (await import('./multihost-job')).multihostJob))
}
