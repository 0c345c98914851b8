/** How an attempt ended. `failed`: a repetition would fail too. `gone`: the target refuses all messages for ever. */
export interface Attempted {
  outcome: 'delivered' | 'retry' | 'failed' | 'gone'
  status: number | null
  response: string | null
  problem: string | null
  retryAfterS: number | null
}

/** The result of an attempt that has no answer of a server. */
export const withoutAnswer = (outcome: Attempted['outcome'], problem: string | null): Attempted => ({
  outcome,
  problem,
  status: null,
  response: null,
  retryAfterS: null,
})
