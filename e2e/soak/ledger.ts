import type { Client } from '@/lib/http/client/client'
import type { ResponseCounts } from './client'
import type { Scenario } from './scenarios'

/** A job that the server accepted. */
export interface AcceptedJob {
  id: string
  scenario: Scenario
  client: Client
  acceptedAt: number
  /** Whether its end and its output were compared with the expected ones. */
  verified: boolean
}

/** All accepted jobs, and everything that was wrong. */
export class Ledger implements ResponseCounts {
  readonly jobs = new Map<string, AcceptedJob>()
  readonly problems: string[] = []
  readonly responses = new Map<number, number>()
  readonly internalErrors: string[] = []
  /** Milliseconds of submissions that succeeded at the first attempt, since the last sample. */
  submissionMs: number[] = []

  accept(id: string, scenario: Scenario, client: Client): AcceptedJob {
    const job = { id, scenario, client, acceptedAt: Date.now(), verified: false }
    this.jobs.set(id, job)
    return job
  }

  problem(text: string): void {
    this.problems.push(text)
    process.stderr.write(`  ✗ ${new Date().toISOString()} ${text}\n`)
  }

  get unverified(): AcceptedJob[] {
    return [...this.jobs.values()].filter(({ verified }) => !verified)
  }

  /** Jobs by kind: accepted and verified. */
  byKind(): { kind: string; accepted: number; verified: number }[] {
    const kinds = new Map<string, { kind: string; accepted: number; verified: number }>()
    for (const { scenario, verified } of this.jobs.values()) {
      const entry = kinds.get(scenario.kind) ?? { kind: scenario.kind, accepted: 0, verified: 0 }
      entry.accepted++
      if (verified) entry.verified++
      kinds.set(scenario.kind, entry)
    }
    return [...kinds.values()].toSorted((a, b) => b.accepted - a.accepted)
  }
}
