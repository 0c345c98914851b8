import type { Context } from '../context'

/** A submission whose config is not that of one job. */
export interface OtherSubmission {
  /** Whether the text of a config is one of these. */
  matches(config: string): boolean
  /** Loads what submits it, and follows it until it ends. */
  load(): Promise<(context: Context, submission: GivenSubmission) => Promise<number>>
}

export interface GivenSubmission {
  code?: Blob | string
  config: Blob | string
  /** Only says what would happen. */
  dryRun?: boolean
  wait?: boolean
  quiet?: boolean
  json?: boolean
}

export interface SubmittedOptions {
  wait: boolean
  quiet?: boolean | undefined
  json?: boolean | undefined
}

/** What the server may have made of a submission besides a job. */
export interface OtherSubmitted {
  /** Whether the answer to a submission is of this kind. */
  matches(submitted: object): boolean
  /** Loads what follows it until it ends, or prints its id. */
  load(): Promise<(context: Context, submitted: object, options: SubmittedOptions) => Promise<number>>
}
