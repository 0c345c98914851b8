import type { Actor } from '../access/actor'
import type { GpuqError } from '../contract/errors'

/** What the queue API takes besides jobs, under ids of its own (`lib/routes/features.ts`). */
export interface QueuedKind<Item, DryRun> {
  /** Whether the body of a submission is of this kind. */
  takes: (body: object) => boolean
  submit: (
    actor: Actor,
    body: object,
    options: { idempotencyKey: string | null; deduplicate: boolean },
  ) => Promise<{ item: Item; isNew: boolean; headers: Record<string, string> }>
  /** What a submission would do. */
  check: (actor: Actor, body: object) => Promise<DryRun>
  /** Null: nothing of this kind that the caller may see has the id. */
  read: (actor: Actor, id: string) => Promise<Item | null>
  /** Null: as for `read`. */
  cancel: (actor: Actor, id: string) => Promise<Item | null>
  /** Why it has no priority and cannot be held; null: as for `read`. */
  refuseChange: (actor: Actor, id: string) => Promise<GpuqError | null>
}
