import type { Command } from 'commander'
import { jobIdHelp, jsonFlag, lazily, lazilyOfJob } from './command'
import { parseInteger } from './values'

const placeHelp =
  'a node or one of its GPUs, by name or number: node-1, node-1:0, or 0 if there is only one node'
const reasonFlag = ['--reason <text>', 'reason shown on the cluster page and to waiting jobs'] as const

/** Commands for nodes, GPUs and the queue. */
export function declareCluster(program: Command): void {
  program
    .command('queue')
    .description('list waiting jobs in their expected order, and running jobs')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/cluster')).queue))
  program
    .command('nodes')
    .description('list nodes and their GPUs')
    .option(...jsonFlag)
    .action(lazily(async () => (await import('../commands/cluster')).nodes))
  program
    .command('priority')
    .description('change the priority of a waiting job')
    .argument('<id>', jobIdHelp)
    .argument('<number>', 'higher numbers start first', parseInteger)
    .action(lazilyOfJob(async () => (await import('../commands/pause')).priority))
  program
    .command('pause')
    .description('stop placing jobs on a node or GPU (admins only)')
    .argument('<place>', placeHelp)
    .option(...reasonFlag)
    .action(lazily(async () => (await import('../commands/pause')).pause))
  program
    .command('resume')
    .description('resume placing jobs on a node or GPU (admins only)')
    .argument('<place>', placeHelp)
    .action(lazily(async () => (await import('../commands/pause')).resume))
  program
    .command('drain')
    .description('pause a node and wait until its jobs have ended (admins only)')
    .argument('<node>', 'name or number of the node')
    .option(...reasonFlag)
    .option('--no-wait', 'return immediately')
    .action(lazily(async () => (await import('../commands/pause')).drain))
  program
    .command('forget')
    .description('remove a lost node or a replaced GPU from the list (admins only)')
    .argument('<place>', placeHelp)
    .action(lazily(async () => (await import('../commands/pause')).forget))
}
