import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessFigures {
  rssMib: number
  files: number
}

/** Memory and open files of a process; null: it does not run. */
export function readProcess(pid: number | null): ProcessFigures | null {
  if (pid === null) return null
  try {
    const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { rssMib: Number(rss ?? 0) / 1024, files: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return null
  }
}

/**
 * The sum over a process and its children. Shared memory is divided among those that use it (PSS): otherwise each of
 * PostgreSQL's processes would count it.
 */
export function readFamily(pid: number): ProcessFigures | null {
  const members = [pid, ...childrenOf(pid)]
  let rssMib = 0
  let files = 0
  for (const member of members) {
    try {
      const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, 'utf8'))?.[1]
      rssMib += Number(pss ?? 0) / 1024
      files += readdirSync(`/proc/${member}/fd`).length
    } catch {
      // It ended in the meantime.
    }
  }
  return rssMib === 0 ? null : { rssMib, files }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
