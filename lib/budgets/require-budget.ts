import { GpuqError } from '../contract/errors'
import { findRow, type Transaction } from '../database/transaction'
import { isCurrentBudget } from '../jobs/state/place'
import type { JobOwner } from '../jobs/submission/job-owner'

/** @throws 403 if a budget with `stop` of the user, the project or the token is used up. */
export async function requireBudgetLeft(
  tx: Transaction,
  { userId, projectId, tokenId }: JobOwner,
): Promise<void> {
  const usedUp = await findRow<{ detail: string }>(tx, {
    name: 'used-up-budget-of-owner',
    text: `SELECT b.detail FROM used_up_budgets b
            WHERE b.stops AND b.owner_id IN ($1::uuid, $2::uuid, $3::uuid) AND ${isCurrentBudget}
            ORDER BY b.until DESC NULLS FIRST LIMIT 1`,
    values: [userId, projectId, tokenId],
  })
  if (usedUp) throw new GpuqError('quota_exceeded', usedUp.detail)
}
