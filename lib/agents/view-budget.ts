import type { z } from 'zod'
import { listBudgets } from '../budgets/read-budgets'
import type { ToolCall } from './tool-call'
import type { agentBudgetSchema } from './tool-schemas'

/** Says what is left of the budgets that apply to the caller. */
export async function viewBudget({ actor }: ToolCall): Promise<z.input<typeof agentBudgetSchema>> {
  const budgets = await listBudgets(actor)
  const sentences = budgets.map(({ label, sentence }) => `${label}: ${sentence}`)
  return { summary: sentences.join('\n') || 'No budget limits your GPU hours.', budgets }
}
