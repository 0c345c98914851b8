import type { Actor } from '../../access/actor'

/** The owner of a job, and the caller who submits it. An idempotency key belongs to the caller. */
export interface JobOwner {
  callerId: string
  /** The caller sees the jobs of all users. */
  callerIsAdmin: boolean
  userId: string
  projectId: string
  /** The class to which the caller's token is bound. */
  onlyProject: Actor['onlyProject']
}
