import { invalidRequest } from '@/lib/contract/errors'
import type { CreateSlurmTarget, SlurmNodeView, SlurmTargetView } from '@/lib/slurm/contract'
import { type Column, renderTable } from '../console/table'
import { withoutControls } from '../console/terminal'
import { type Context, print, printList, writeText } from '../context'

const nodeColumns: Column<SlurmNodeView>[] = [
  { title: 'NODE', cell: ({ name }) => name, colour: () => 'bold' },
  { title: 'STATE', cell: ({ state }) => state, colour: ({ state }) => (state === 'down' ? 'red' : null) },
  { title: 'PARTITIONS', cell: ({ partitions }) => partitions.join(',') },
  {
    title: 'GPUS USED',
    cell: ({ gpus }) => gpus.map(({ type, count, used }) => `${type ?? 'gpu'} ${used}/${count}`).join(' '),
  },
  { title: 'CPUS USED', cell: ({ cpus, used_cpus }) => `${used_cpus}/${cpus}`, right: true },
  { title: 'WORKER', cell: ({ worker }) => worker },
  { title: 'REASON', cell: ({ reason, request }) => reason ?? request?.problem ?? null, long: true },
]

/** Lists Slurm's nodes and what the jobs of other programs occupy. */
export async function listSlurmNodes(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  const slurm = await client.slurm.get()
  const { running, waiting, gpus } = slurm.other_jobs
  const problem = slurm.problem === null ? '' : `Slurm does not answer: ${withoutControls(slurm.problem)}\n`
  const table =
    slurm.nodes.length === 0
      ? 'Slurm has no nodes, or was not read yet.\n'
      : renderTable(nodeColumns, slurm.nodes, context.terminal)
  const others = `Other Slurm jobs: ${running} running on ${gpus} GPUs, ${waiting} waiting.\n`
  return print(context, json, slurm, `${problem}${table}${others}`)
}

/** Asks Slurm to start no new jobs on a node. */
export async function drainNode(
  context: Context,
  node: string,
  { reason }: { reason: string },
): Promise<number> {
  const client = await context.connect()
  await client.slurm.updateNode(node, { drained: true, reason })
  return writeText(context, `Slurm is asked to drain ${node}. Running jobs continue.\n`)
}

/** Asks Slurm to use a drained node again. */
export async function resumeNode(context: Context, node: string): Promise<number> {
  const client = await context.connect()
  await client.slurm.updateNode(node, { drained: false })
  return writeText(context, `Slurm is asked to resume ${node}.\n`)
}

const targetColumns: Column<SlurmTargetView>[] = [
  { title: 'PROJECT', cell: ({ owner, project_id }) => (owner === null ? 'all' : `${owner}/${project_id}`) },
  { title: 'POOL', cell: ({ pool }) => pool ?? 'all' },
  { title: 'ACCOUNT', cell: ({ account }) => account },
  { title: 'PARTITION', cell: ({ partition }) => partition },
  { title: 'QOS', cell: ({ qos }) => qos },
  { title: 'RESERVATION', cell: ({ reservation }) => reservation },
]

/** Lists where the jobs of projects and pools go. */
export async function listTargets(context: Context, { json }: { json?: boolean }): Promise<number> {
  const client = await context.connect()
  return printList(
    context,
    json,
    await client.slurm.targets(),
    targetColumns,
    'All jobs use the defaults of Slurm.',
  )
}

type Jobs = Pick<CreateSlurmTarget, 'project' | 'pool'>

/** Adds the row of a project and pool, or replaces it. */
export async function setTarget(
  context: Context,
  { json, project, pool, ...place }: CreateSlurmTarget & { json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const known = findRow(await client.slurm.targets(), { project, pool })
  const saved = known
    ? await client.slurm.updateTarget(known.id, place)
    : await client.slurm.createTarget({ project, pool, ...place })
  return print(context, json, saved, 'Saved. Jobs that are in Slurm already keep their place.\n')
}

/** Deletes the row of a project and pool. */
export async function removeTarget(context: Context, jobs: Jobs): Promise<number> {
  const client = await context.connect()
  const known = findRow(await client.slurm.targets(), jobs)
  if (!known) throw invalidRequest('There is no such row. `gpuq slurm targets` lists the rows.')
  await client.slurm.removeTarget(known.id)
  return writeText(context, 'Removed. Later jobs use the next general row, or the defaults of Slurm.\n')
}

function findRow(rows: readonly SlurmTargetView[], { project, pool }: Jobs): SlurmTargetView | undefined {
  const wanted = project?.toLowerCase() ?? null
  return rows.find((row) => {
    const of = row.owner === null ? null : `${row.owner}/${row.project_id}`.toLowerCase()
    return of === wanted && row.pool === (pool ?? null)
  })
}
