import { queryOptions } from '@tanstack/react-query'
import { api } from '../queries/queries'

/** What budgets are for: a job or a project; neither: the user. */
export interface BudgetsOf {
  job?: string
  project?: string
}

export const budgetsQuery = (of: BudgetsOf) =>
  queryOptions({
    queryKey: ['budgets', of],
    queryFn: ({ signal }) => api.budgets.list({ job: of.job ?? null, project: of.project ?? null }, signal),
    refetchInterval: 10_000,
  })
