/** Timeouts for the engine, in milliseconds. */
export const defaultTimeouts = {
  /** Requests that need no work. */
  answer: 30_000,
  /** Create, start and remove: disks are slow, and GPU hooks take long on their first run. */
  work: 120_000,
  /** From the end of a container's output to its exit. */
  exit: 5000,
  /** From SIGKILL to the exit. */
  kill: 10_000,
  /** From an exit by any signal to the event that explains it. */
  lateEvent: 100,
  /** The same for signals that kernels and engines use; their events come late on a busy machine. */
  lateKill: 2_000,
  /** Polling interval for a name in use by a container that is not visible. */
  naming: 50,
}

export type Timeouts = typeof defaultTimeouts
