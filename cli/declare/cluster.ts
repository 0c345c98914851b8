import type { Command } from 'commander'
import { jsonFlag, runLazily } from './run-lazily'
import { parseInteger } from './values'

const placeHelp =
  'a node, or one GPU of it: by name or number, as in node-1 or node-1:0; 0 alone where there is one node'

/** The commands about nodes, GPUs and the queue. */
export function declareCluster(program: Command): void {
  program
    .command('queue')
    .description('list what waits, in the order it should start, and what runs')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/cluster')).queue(context, options)),
    )
  program
    .command('nodes')
    .description('list the nodes and their GPUs')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) =>
      runLazily(async (context) => (await import('../commands/cluster')).nodes(context, options)),
    )
  program
    .command('priority')
    .description("change a waiting job's priority")
    .argument('<id>', 'the id of a job, or its beginning')
    .argument('<number>', 'a higher number goes first', parseInteger)
    .action((id: string, number: number) =>
      runLazily(async (context) => (await import('../commands/pause')).priority(context, id, number)),
    )
  declareForAdmins(program)
}

function declareForAdmins(program: Command): void {
  program
    .command('pause')
    .description('give out nothing more of a node or a GPU; for admins')
    .argument('<place>', placeHelp)
    .option('--reason <text>', 'shown beside it, and to jobs that wait for it')
    .action((place: string, options: { reason?: string }) =>
      runLazily(async (context) => (await import('../commands/pause')).pause(context, place, options)),
    )
  program
    .command('resume')
    .description('take a node or a GPU back; for admins')
    .argument('<place>', placeHelp)
    .action((place: string) =>
      runLazily(async (context) => (await import('../commands/pause')).resume(context, place)),
    )
  program
    .command('drain')
    .description('pause a node, and wait until its last job has ended; for admins')
    .argument('<node>', 'its name or number')
    .option('--reason <text>', 'shown beside it, and to jobs that wait for it')
    .option('--no-wait', 'end at once')
    .action((node: string, options: { wait: boolean; reason?: string }) =>
      runLazily(async (context) => (await import('../commands/pause')).drain(context, node, options)),
    )
  program
    .command('forget')
    .description('take a node that will not come back, or a GPU that was replaced, off the list; for admins')
    .argument('<place>', placeHelp)
    .action((place: string) =>
      runLazily(async (context) => (await import('../commands/pause')).forget(context, place)),
    )
}
