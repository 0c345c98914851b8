import type { Command } from 'commander'
import { jsonFlag, lazilyOfJob } from '../declare/command'

/** Commands for budgets of GPU hours. */
export function declareBudgets(program: Command): void {
  program
    .command('budget')
    .description('show what is used and left of the GPU hours of you, your projects, tokens and groups')
    .argument('[job]', 'only the budgets of this job: its id, or the start of it')
    .option(...jsonFlag)
    .action(lazilyOfJob(async () => (await import('./budget')).budget))
}
