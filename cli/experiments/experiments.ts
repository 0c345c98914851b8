import { experimentTitle, firstMetrics, type TreeRow, treeRows } from '@/lib/experiments/contract-tree'
import { statusColours } from '../console/format'
import type { Column } from '../console/table'
import { type Context, printList, writeJson } from '../context'
import { requireProject } from '../find-project'
import { readPages } from '../job/read-pages'

const maxPage = 200

/** Prints the tree of experiments. */
export async function experiments(
  context: Context,
  { project, limit, json }: { project?: string; limit: number; json?: boolean },
): Promise<number> {
  const client = await context.connect()
  const found = await readPages(limit, (query) =>
    client.experiments.list({ ...query, limit: Math.min(query.limit, maxPage), project_id: project }),
  )
  if (found.length === 0 && project !== undefined) await requireProject(client, project)
  if (json) return writeJson(context, found)
  return printList(
    context,
    undefined,
    treeRows(found),
    columns,
    'No experiments found. Submit a job with --hypothesis, or with --parent and the id of an earlier one.',
  )
}

/** Deeper levels are not indented further, so that a long chain stays readable. */
const maxIndent = 12

const columns: readonly Column<TreeRow>[] = [
  { title: 'ID', cell: ({ experiment }) => experiment.id },
  {
    title: 'STATUS',
    cell: ({ experiment }) => experiment.status,
    colour: ({ experiment }) => statusColours[experiment.status],
  },
  {
    title: 'METRICS',
    cell: ({ experiment }) =>
      firstMetrics(experiment)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ') || null,
    long: true,
  },
  { title: 'TOKEN', cell: ({ experiment }) => experiment.submitted_with?.name ?? null, long: true },
  { title: 'EXPERIMENT', cell: describe, long: true },
]

/** `  └ warm-up: A longer warm-up helps.` */
function describe({ experiment, depth, parent }: TreeRow): string {
  const branch = depth === 0 ? '' : `${'  '.repeat(Math.min(depth, maxIndent) - 1)}└ `
  const { hypothesis, parent_deleted } = experiment
  const lost = parent_deleted ? ' (follows one that was deleted)' : ''
  const older = parent === null && experiment.parent !== null ? ` (follows ${experiment.parent})` : ''
  return `${branch}${experimentTitle(experiment)}${lost}${older}${hypothesis === null ? '' : `: ${hypothesis}`}`
}
