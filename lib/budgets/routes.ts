import { route } from '../http/route'
import { budgetOperations } from './operations'
import { listBudgets, listJobBudgets } from './read-budgets'

export const budgetRoutes = {
  list: route(budgetOperations.list, ({ actor, query: { job } }) =>
    job === undefined ? listBudgets(actor) : listJobBudgets(actor, job),
  ),
}
