import { database } from '../../database/client'
import { isCurrentBudget } from '../../jobs/state/place'
import type { WaitingRow } from './pending-window'

interface UsedUpBudget {
  ownerId: string
  detail: string
  /** When the next period begins, in milliseconds since the epoch; infinite: never. */
  until: number
}

/** The budgets of which nothing is left. */
export class UsedUpBudgets {
  readonly #byOwner: ReadonlyMap<string, UsedUpBudget>

  /** @param budgets of several budgets of an owner, the last one counts. */
  constructor(budgets: readonly UsedUpBudget[]) {
    this.#byOwner = new Map(budgets.map((budget) => [budget.ownerId, budget]))
  }

  /** Returns the budget that keeps a job from starting for longest; null: none does. */
  of({ userId, projectId, groupId, tokenId }: Owners): UsedUpBudget | null {
    if (this.#byOwner.size === 0) return null
    return [userId, projectId, groupId, tokenId]
      .flatMap((id) => (id === null ? [] : (this.#byOwner.get(id) ?? [])))
      .reduce<UsedUpBudget | null>((last, one) => (last && last.until >= one.until ? last : one), null)
  }
}

type Owners = Pick<WaitingRow, 'userId' | 'projectId' | 'groupId' | 'tokenId'>

/** Reads the budgets of which nothing is left. */
export async function readUsedUpBudgets(): Promise<UsedUpBudgets> {
  const { rows } = await database().pool.query<{ ownerId: string; detail: string; until: Date | null }>({
    name: 'used-up-budgets',
    text: `SELECT b.owner_id AS "ownerId", b.detail, b.until FROM used_up_budgets b WHERE ${isCurrentBudget} ORDER BY b.until`,
  })
  return new UsedUpBudgets(
    rows.map((row) => ({ ...row, until: row.until?.getTime() ?? Number.POSITIVE_INFINITY })),
  )
}
