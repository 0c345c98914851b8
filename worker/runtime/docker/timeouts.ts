/** How long the engine is waited for, in ms. */
export const defaultTimeouts = {
  /** An answer that needs no work. */
  answer: 30_000,
  /** Creating, starting and removing: slow disks, and GPU hooks on their first run. */
  work: 120_000,
  /** From the end of a container's output to its exit. */
  exit: 5000,
  /** From SIGKILL to the exit. */
  kill: 10_000,
  /** From an exit by any signal to the event that explains it. */
  lateEvent: 100,
  /** The same for the signals that kernels and engines end containers with: on a busy machine the event is in no hurry. */
  lateKill: 2_000,
  /** Between looks at a name that is taken by a container that cannot be seen. */
  naming: 50,
}

export type Timeouts = typeof defaultTimeouts
