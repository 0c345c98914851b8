import type { Person } from '../../access/testing/people'

export interface People {
  admin: Person
  ada: Person
  bob: Person
}

/** A call of a mutation that must leave an event. */
export interface MutationCall {
  /** Null: without a session, because the operation is public. */
  who: Person | null
  params?: Record<string, string>
  query?: string
  /** Sent as JSON; a string is sent unchanged, as plain bytes. */
  body?: unknown
}

/** Prepares what the call changes. */
export type MutationCase = (people: People) => Promise<MutationCall>
