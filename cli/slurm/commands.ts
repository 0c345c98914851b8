import { type Command, Option } from 'commander'
import { pools } from '@/lib/contract/config/pools'
import { jsonFlag, lazily } from '../declare/command'

const load = () => import('./slurm')

/** Commands for the Slurm cluster, if the server uses Slurm. */
export function declareSlurm(program: Command): void {
  const slurm = program.command('slurm').description('show and manage the Slurm cluster that the server uses')
  slurm
    .command('nodes', { isDefault: true })
    .description('list the nodes of Slurm, and what other jobs occupy (the default)')
    .option(...jsonFlag)
    .action(lazily(async () => (await load()).listSlurmNodes))
  slurm
    .command('drain')
    .description('let Slurm start no new jobs on a node (admins only)')
    .argument('<node>', 'its name in Slurm')
    .requiredOption('--reason <text>', 'shown to all users of Slurm')
    .action(lazily(async () => (await load()).drainNode))
  slurm
    .command('resume')
    .description('let Slurm use a drained node again (admins only)')
    .argument('<node>', 'its name in Slurm')
    .action(lazily(async () => (await load()).resumeNode))
  slurm
    .command('targets')
    .description('list account, partition, QOS and reservation of jobs (admins only)')
    .option(...jsonFlag)
    .action(lazily(async () => (await load()).listTargets))
  withJobs(slurm.command('set-target'))
    .description('set where jobs go; an option that you leave out keeps the default of Slurm (admins only)')
    .option('--account <name>')
    .option('--partition <name>')
    .option('--qos <name>')
    .option('--reservation <name>')
    .option(...jsonFlag)
    .action(lazily(async () => (await load()).setTarget))
  withJobs(slurm.command('remove-target'))
    .description('delete a row; the next general row then applies (admins only)')
    .action(lazily(async () => (await load()).removeTarget))
}

/** The jobs to which a row applies. */
function withJobs(command: Command): Command {
  return command
    .option('--project <project>', 'OWNER/PROJECT (default: all projects)')
    .addOption(new Option('--pool <pool>', 'pool of the jobs (default: all pools)').choices([...pools]))
}
