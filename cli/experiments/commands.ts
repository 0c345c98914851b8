import type { Command } from 'commander'
import { jsonFlag, lazily } from '../declare/command'
import { parseCount } from '../declare/values'

const about = `
Each job or group is below the one that it follows: submit it with --parent ID and --hypothesis "A longer warm-up helps."
The metrics of a group are those of its best member.`

/** The command for the tree of experiments. */
export function declareExperiments(program: Command): void {
  program
    .command('experiments')
    .description('print the tree of your experiments: jobs and groups that follow each other')
    .option('--project <id>', 'those in this project that you may see')
    .option('--limit <number>', 'maximum number of experiments, the newest ones', parseCount, 100)
    .option(...jsonFlag)
    .addHelpText('after', about)
    .action(lazily(async () => (await import('./experiments')).experiments))
}
