import * as z from 'zod'
import { defineOperations, get, ok } from '../contract/operations/operation'
import { budgetSchema, listBudgetsSchema } from './contract'

export const budgetOperations = defineOperations('budgets', 'access', {
  list: get(
    '/api/budgets',
    'read',
    'The budgets of GPU hours that apply to the caller, and what is left of them',
    {
      restrictedTokens: true,
      query: listBudgetsSchema,
      responses: ok(z.array(budgetSchema)),
    },
  ),
})
