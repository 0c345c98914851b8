import type { Experiment } from './contract'

/** An experiment in the order of the tree: below what it follows. */
export interface TreeRow {
  experiment: Experiment
  /** 0: a root, or what it follows is not among the experiments. */
  depth: number
  /** What it follows, if it is among the experiments. */
  parent: Experiment | null
}

/**
 * The rows of the tree of some experiments. Those that follow the same one stay in their order.
 * @param collapsed ids of the experiments whose followers are left out
 */
export function treeRows(experiments: readonly Experiment[], collapsed?: ReadonlySet<string>): TreeRow[] {
  const known = new Set(experiments.map(({ id }) => id))
  const followers = new Map<string | null, Experiment[]>()
  for (const one of experiments) {
    const parent = one.parent !== null && known.has(one.parent) ? one.parent : null
    const others = followers.get(parent)
    if (others) others.push(one)
    else followers.set(parent, [one])
  }
  const rowsBelow = (parent: Experiment | null, depth: number): TreeRow[] =>
    (followers.get(parent?.id ?? null) ?? []).map((experiment) => ({ experiment, depth, parent }))
  const rows: TreeRow[] = []
  // Without recursion: each of thousands of experiments may follow the one before.
  const left = rowsBelow(null, 0).reverse()
  for (let row = left.pop(); row !== undefined; row = left.pop()) {
    rows.push(row)
    if (!collapsed?.has(row.experiment.id)) left.push(...rowsBelow(row.experiment, row.depth + 1).reverse())
  }
  return rows
}

/** The name of an experiment, or its kind and the end of its id. */
export function experimentTitle({ name, kind, id }: Pick<Experiment, 'name' | 'kind' | 'id'>): string {
  return name ?? `${kind === 'group' ? 'Group' : 'Job'} ${id.slice(-8)}`
}

const shownMetrics = 3

/** The first metrics of an experiment, in the order of their names. */
export function firstMetrics({ metrics }: Pick<Experiment, 'metrics'>): [name: string, value: number][] {
  return Object.entries(metrics).toSorted().slice(0, shownMetrics)
}
