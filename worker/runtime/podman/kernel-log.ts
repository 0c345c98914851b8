import { closeSync, constants, openSync, readSync } from 'node:fs'
import { errorCode } from '@/lib/contract/error-code'

const logPath = '/dev/kmsg'
/** More than the longest record of the kernel. */
const recordBytes = 8192

/**
 * Whether the kernel's log says that it killed a process of a container for memory. False if the log is not readable,
 * which usually only root can, or no longer goes back so far. Takes some milliseconds.
 * @param id the container's id, which is in the name of its cgroup.
 */
export function wasKilledForMemory(id: string, path = logPath): boolean {
  let log: number
  try {
    log = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return false
  }
  try {
    const record = Buffer.alloc(recordBytes)
    for (let length = readRecord(log, record); length !== null; length = readRecord(log, record))
      if (isKill(record.toString('latin1', 0, length), id)) return true
    return false
  } finally {
    closeSync(log)
  }
}

/** Whether this process may read the kernel's log. */
export function isKernelLogReadable(): boolean {
  try {
    closeSync(openSync(logPath, constants.O_RDONLY | constants.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

/** Each read returns one record. Returns null after the last, and 0 if the kernel has overwritten the next. */
function readRecord(log: number, record: Buffer): number | null {
  try {
    return readSync(log, record) || null
  } catch (error) {
    return errorCode(error) === 'EPIPE' ? 0 : null
  }
}

/** Whether a record says that a process in a container's cgroup was killed for memory. */
export function isKill(record: string, id: string): boolean {
  return record.includes('oom-kill:constraint=') && new RegExp(`task_memcg=[^,]*libpod-${id}\\b`).test(record)
}
