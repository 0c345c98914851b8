import type { Transaction } from '../../database/transaction'

/** Says that a board of a competition changes with this transaction. Whatever changes scores, choices or teams that are shown calls it. */
export async function changeBoard(tx: Transaction, competitionId: string): Promise<void> {
  await tx.query({
    name: 'change-board',
    text: 'UPDATE competitions SET board_version = board_version + 1 WHERE id = $1',
    values: [competitionId],
  })
}
