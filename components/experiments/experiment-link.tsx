import type { Experiment } from '@/lib/experiments/contract'
import { experimentTitle } from '@/lib/experiments/contract-tree'
import { comparePath } from '../jobs/compare-path'
import { Link } from '../ui/link'

export const experimentPath = ({ kind, id }: Pick<Experiment, 'kind' | 'id'>) => `/${kind}s/${id}`

/** Leads to the page of an experiment. */
export function ExperimentLink({ experiment }: { experiment: Experiment }) {
  return (
    <Link href={experimentPath(experiment)} className="wrap-anywhere">
      {experimentTitle(experiment)}
    </Link>
  )
}

/** The address of the comparison of an experiment with what it follows; null: one of the two has no job yet. */
export function compareWith(experiment: Pick<Experiment, 'compared_job'>, parent: Experiment | null) {
  return experiment.compared_job === null || !parent?.compared_job
    ? null
    : comparePath([parent.compared_job, experiment.compared_job])
}
