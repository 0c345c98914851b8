import type { StartBasis } from '../contract/predicted-time'
import type { ProgramFacts } from '../scheduling/run-times/run-times'
import type { ResourceRequest } from '../scheduling/types'

/** What is known about the start of a waiting job. */
export interface Expectation {
  /** 1 starts next. */
  position: number
  /** Null: no start can be predicted. */
  expectedStart: Date | null
  /** The times between which the start is likely to be; null: not known. */
  range: { earliest: Date; latest: Date } | null
  /** What the expected start rests on; null: it waits for no running job, or it is not known. */
  basis: StartBasis | null
}

export interface QueueForecast {
  /** The first waiting jobs, by position. */
  jobs: ReadonlyMap<string, Expectation>
}

/** A job that is not in the queue. */
export interface NewJob extends ProgramFacts {
  id: string
  /** The token with which it would be submitted; null: none. */
  tokenId: string | null
  priority: number
  request: ResourceRequest
  estimateMs: number
  limitMs: number
  createdAt: Date
}

/** How an engine predicts the order and the starts of the waiting jobs. */
export interface Forecaster {
  /** The first waiting jobs, with their expected starts. */
  forecastFirst(): Promise<QueueForecast>
  /** What would be known about a job if it were submitted now. */
  forecastNew(job: NewJob): Promise<Expectation>
  /** All other waiting jobs, in their order. */
  listOthers(known: readonly string[]): Promise<string[]>
}
