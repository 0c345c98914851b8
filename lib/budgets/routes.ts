import { route } from '../http/route'
import { budgetOperations } from './operations'
import { listBudgets, listJobBudgets, listProjectBudgets } from './read-budgets'

export const budgetRoutes = {
  list: route(budgetOperations.list, ({ actor, query: { job, project } }) => {
    if (job !== undefined) return listJobBudgets(actor, job)
    return project === undefined ? listBudgets(actor) : listProjectBudgets(actor, project)
  }),
}
