import type { Transaction } from './transaction'

/**
 * All advisory locks of gpuq. The numbers are arbitrary, but must never change: during an upgrade, processes of two
 * versions take the same lock.
 */

/** Each is one lock for the database. */
export const locks = {
  /** One process migrates the database at a time. */
  migration: 4_711_470_001,
  /** One process creates the first admin and the default environment. */
  firstRun: 4_711_470_002,
  /** The scheduler that holds it is the leader. Held by a connection, not by a transaction. */
  leader: 4_711_470_003,
  /** A new node gets the number after the last one. */
  nodeRegistration: 4_711_470_004,
  /** Two jobs never get the same network. */
  jobNetwork: 4_711_470_005,
  /** Direct dispatches place jobs in the order of the queue. */
  directDispatch: 4_711_470_006,
  /** A submission to the queue counts the waiting jobs and adds its own before the next one counts. */
  queueSize: 4_711_470_007,
  /** Prevents two projects from sharing snapshots with the same name. */
  sharedSnapshots: 4_711_470_008,
  /** If several web servers see a full disk, one notifies the admins. */
  lowDiskNotice: 4_711_470_009,
} as const

/** Each is one lock for every id. */
const lockClasses = {
  /** For a task's terminal: input gets its numbers in the order of the commits. */
  terminalInput: 4_711_471,
  /**
   * For a project's files. A transaction that adds files or relies on them shares it. One that deletes files, or changes who may
   * use them, takes it alone.
   */
  archiveContents: 7_423_116,
  /** For a named run: tasks of one attempt would otherwise wait for each other's checkpoint rows. */
  checkpoints: 7_423_117,
  /** For a job's working files: a reader who has seen a version has seen all lower ones. */
  workingFiles: 7_423_120,
  /** Serializes starts of one user's or project's jobs, so that each counts the GPUs of the other. */
  heldGpus: 7_423_119,
  /** For a user's projects: a new one is counted before the next one is made. */
  ownProjects: 7_423_118,
  /** For the slug of a competition: two hosts change it one after the other. */
  competition: 7_423_121,
} as const

/** Waits for a lock and keeps it until the transaction ends. */
export async function acquireLock(
  tx: Transaction,
  name: keyof typeof locks,
  mode: LockMode = 'alone',
): Promise<void> {
  await tx.query(`SELECT ${functionOf(mode)}($1)`, [locks[name]])
}

type LockMode = 'alone' | 'shared'

const functionOf = (mode: LockMode) =>
  mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'

/** Waits for the lock of one id and keeps it until the transaction ends. */
export async function acquireLockOf(
  tx: Transaction,
  name: keyof typeof lockClasses,
  id: string,
  mode: LockMode = 'alone',
): Promise<void> {
  await tx.query(`SELECT ${functionOf(mode)}($1, hashtext($2))`, [lockClasses[name], id])
}

/**
 * Waits for the lock of an account's sign-ins, or of the set of admins, and keeps it until the transaction ends. The
 * text is the key.
 */
export async function acquireAccountLock(
  tx: Transaction,
  key: 'gpuq admins' | 'gpuq user imports' | `sign-in ${string}`,
): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key])
}

/** SQL: whether a scheduler is the leader. PostgreSQL shows the two halves of the key. */
export const hasLeader = `EXISTS (SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND (classid::int8 << 32) + objid::int8 = ${locks.leader}
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
