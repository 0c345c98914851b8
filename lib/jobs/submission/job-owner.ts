import { type Actor, isAdmin } from '../../access/actor'

/** The owner of a job, and the caller who submits it. An idempotency key belongs to the caller. */
export interface JobOwner {
  callerId: string
  /** The caller sees the jobs of all users. */
  callerIsAdmin: boolean
  userId: string
  projectId: string
  /** What the caller's token may reach. */
  restriction: Actor['restriction']
  /** The caller's token; null: a session. */
  tokenId: string | null
}

/** A job of a caller, or one that an admin submits for another user. */
export function ownerFor(
  actor: Actor,
  { userId = actor.userId, projectId }: { userId?: string; projectId: string },
): JobOwner {
  const { userId: callerId, restriction, tokenId } = actor
  return { callerId, callerIsAdmin: isAdmin(actor), userId, projectId, restriction, tokenId }
}
