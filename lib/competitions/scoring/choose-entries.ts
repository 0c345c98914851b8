/** A team with entries that wait for a job. */
export interface WaitingTeam {
  /** How many of its entries run or are scored now. */
  unfinished: number
  /** How many of its entries of the last day had a job. */
  used: number
  /** Those that wait, in the order in which they were received. */
  entries: readonly { id: string; receivedMs: number }[]
}

/**
 * Chooses the entries that get a job now, at most `places`: each time one of the team with the fewest unfinished jobs, then of the team that
 * used least, then of the team whose entry has waited longest. So a team that sends many entries at once delays no other team.
 */
export function chooseEntries(teams: readonly WaitingTeam[], places: number): string[] {
  const left = teams.map(({ unfinished, used, entries }) => ({ unfinished, used, entries: [...entries] }))
  const chosen: string[] = []
  while (chosen.length < places) {
    const next = left
      .filter(({ entries }) => entries.length > 0)
      .reduce<(typeof left)[number] | null>(
        (best, team) => (best === null || compare(team, best) < 0 ? team : best),
        null,
      )
    const entry = next?.entries.shift()
    if (!next || !entry) break
    next.unfinished += 1
    next.used += 1
    chosen.push(entry.id)
  }
  return chosen
}

function compare(one: WaitingTeam, other: WaitingTeam): number {
  return (
    one.unfinished - other.unfinished ||
    one.used - other.used ||
    oldest(one).receivedMs - oldest(other).receivedMs ||
    // Rows have no order of their own.
    (oldest(one).id < oldest(other).id ? -1 : 1)
  )
}

const oldest = ({ entries: [first] }: WaitingTeam) =>
  first ?? { id: '', receivedMs: Number.POSITIVE_INFINITY }
