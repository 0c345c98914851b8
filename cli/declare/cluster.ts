import type { Command } from 'commander'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const placeHelp =
  'a node or one of its GPUs, by name or number: node-1, node-1:0, or 0 if there is only one node'

/** Commands for nodes, GPUs and the queue. */
export function declareCluster(program: Command): void {
  program
    .command('queue')
    .description('list waiting jobs in their expected order, and running jobs')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/cluster')).queue(context, options)),
    )
  program
    .command('nodes')
    .description('list nodes and their GPUs')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/cluster')).nodes(context, options)),
    )
  program
    .command('priority')
    .description('change the priority of a waiting job')
    .argument('<id>', 'id of the job, or the start of it')
    .argument('<number>', 'higher numbers start first', parseInteger)
    .action((id: string, number: number) =>
      runLazily(async (context) => (await import('../commands/pause')).priority(context, id, number)),
    )
  declareForAdmins(program)
}

function declareForAdmins(program: Command): void {
  program
    .command('pause')
    .description('stop placing jobs on a node or GPU (admins only)')
    .argument('<place>', placeHelp)
    .option('--reason <text>', 'reason shown on the cluster page and to waiting jobs')
    .action((place: string, options: { reason?: string }) =>
      runLazily(async (context) => (await import('../commands/pause')).pause(context, place, options)),
    )
  program
    .command('resume')
    .description('resume placing jobs on a node or GPU (admins only)')
    .argument('<place>', placeHelp)
    .action((place: string) =>
      runLazily(async (context) => (await import('../commands/pause')).resume(context, place)),
    )
  program
    .command('drain')
    .description('pause a node and wait until its jobs have ended (admins only)')
    .argument('<node>', 'name or number of the node')
    .option('--reason <text>', 'reason shown on the cluster page and to waiting jobs')
    .option('--no-wait', 'return immediately')
    .action((node: string, options: { wait: boolean; reason?: string }) =>
      runLazily(async (context) => (await import('../commands/pause')).drain(context, node, options)),
    )
  program
    .command('forget')
    .description('remove a lost node or a replaced GPU from the list (admins only)')
    .argument('<place>', placeHelp)
    .action((place: string) =>
      runLazily(async (context) => (await import('../commands/pause')).forget(context, place)),
    )
}
