import type { Actor } from '../access/actor'
import type { Received } from './upload'

/** The answer to an upload that is no job. */
export interface UploadAnswer<Result> {
  status: number
  headers?: Record<string, string>
  body: Result
}

export interface AcceptOptions {
  deduplicate: boolean
  /** For how many seconds the answer waits at most. */
  wait: number
}

/** An upload that is no job. */
export interface OtherUpload<Result, DryRun> {
  /** Stores it. The files of the upload are needed only until this resolves. */
  accept(options: AcceptOptions): Promise<{
    /** Waits for what becomes of it, but not after the client has left. */
    answer(closed: AbortSignal): Promise<UploadAnswer<Result>>
  }>
  /** What `accept` would do; stores nothing. @throws its errors. */
  check(): Promise<DryRun>
}

/** What an upload may be besides a job (`lib/routes/features.ts`). */
export interface UploadKind<Result, DryRun> {
  /** Finds out whether an upload is of this kind. If it is a job, a note may say how it would become one of this kind. */
  find(received: Received): Promise<{ other: OtherUpload<Result, DryRun> } | { note: string | undefined }>
  /** Says what has become of one, with the fields of a job. @throws 404 for an unknown one, and one that the actor may not see. */
  read(actor: Actor, id: string): Promise<Result>
  /** The same as a file: as the records of a result file, or the text that a job would have printed. @throws as `read`, and 409 for records before its end. */
  download(actor: Actor, id: string, format: 'jsonl' | 'text'): Promise<Response>
  /** Cancels one. @throws as `read`, and 403 or 409 if it cannot be cancelled. */
  cancel(actor: Actor, id: string): Promise<Result>
}
