import { z } from 'zod'
import { waitSchema } from '../wait-for-jobs'

/**
 * Waiting as a task of the extension `io.modelcontextprotocol/tasks`. The id of a task says what it waits for, so no state is kept:
 * each request reads the jobs again, with the rights of its caller.
 */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** What a task waits for. */
export type Wait = Pick<z.output<typeof waitSchema>, 'ids' | 'for' | 'show'>

export interface WaitTask {
  wait: Wait
  createdAt: Date
}

/** Clients send the id of a task in a header too, and proxies take at most 8 KiB for all headers. */
const maxIds = 100
const pollIntervalMs = 2_000

/** Returns what a call of WaitForGPUJobs may wait for as a task; null: it answers by itself, because it says how long, has too many ids, or is wrong. */
export function taskableWait(input: unknown): Wait | null {
  if (typeof input === 'object' && input !== null && 'seconds' in input) return null
  const { data } = waitSchema.safeParse(input)
  const ids = [...new Set(data?.ids.map((id) => id.toLowerCase()))]
  if (data === undefined || ids.length > maxIds || !z.array(z.uuid()).safeParse(ids).success) return null
  return { ids, for: data.for, show: data.show }
}

/** The version, `for` and `show`, a byte each, and the time in milliseconds. The ids follow. */
const headBytes = 9
const idBytes = 16
const version = 1

export function toTaskId({ wait, createdAt }: WaitTask): string {
  const head = Buffer.alloc(headBytes)
  head.set([version, wait.for === 'any' ? 0 : 1, wait.show])
  head.writeUIntBE(createdAt.getTime(), 3, 6)
  const ids = wait.ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))
  return Buffer.concat([head, ...ids]).toString('base64url')
}

/** Returns the task that has an id; null: none can have it. */
export function readTaskId(taskId: string): WaitTask | null {
  const bytes = Buffer.from(taskId, 'base64url')
  const count = (bytes.length - headBytes) / idBytes
  if (!Number.isInteger(count) || count < 1 || count > maxIds) return null
  const hex = bytes.subarray(headBytes).toString('hex')
  const ids = (hex.match(/.{32}/g) ?? []).map((id) => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
  const wait = taskableWait({ ids, for: bytes[1] === 0 ? 'any' : 'all', show: bytes[2] })
  const task = wait && { wait, createdAt: new Date(bytes.readUIntBE(3, 6)) }
  // Another text of the same bytes is no id that was given.
  return task && toTaskId(task) === taskId ? task : null
}

/** What is shown of a task, by how many of its jobs and groups have ended. */
export function viewTask(task: WaitTask, { over, waiting }: { over: number; waiting: number }) {
  const isOver = task.wait.for === 'any' ? over > 0 : waiting === 0
  return {
    isOver,
    shown: {
      ...describeTask(task),
      statusMessage: `${over} of ${over + waiting} have ended.`,
    },
  }
}

/** What is the same of a task in each of its states. */
export function describeTask(task: WaitTask) {
  return {
    taskId: toTaskId(task),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    // Whoever may see the jobs can ask for as long as these exist.
    ttlMs: null,
    pollIntervalMs,
  }
}
