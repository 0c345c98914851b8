/** The owner of a job, and the caller who submits it. An idempotency key belongs to the caller. */
export interface JobOwner {
  callerId: string
  /** The caller sees the jobs of all users. */
  callerIsAdmin: boolean
  userId: string
  projectId: string
}
