import { readdir, readFile } from 'node:fs/promises'

/** What a process and its children cost until now. */
interface ProcessCost {
  /** CPU time, in milliseconds. Linux counts it in steps of 10 ms. */
  cpuMs: number
  /** Memory, with each shared page divided by the number of its users (Pss), in MiB. */
  memoryMiB: number
}

const tickMs = 10

/** Reads the cost of a process and of its children, from /proc of Linux. */
export async function readCost(pid: number): Promise<ProcessCost> {
  const parents = await readParents()
  const family = [...parents].flatMap(([child, parent]) => (child === pid || parent === pid ? [child] : []))
  const costs = await Promise.all(family.map((member) => readOne(member)))
  return {
    cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryMiB: costs.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0),
  }
}

/** The parent of each process. */
async function readParents(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = new Map<number, number>()
  for (const pid of pids) {
    const [, parent] = (await readStat(pid)) ?? []
    if (parent !== undefined) parents.set(pid, Number(parent))
  }
  return parents
}

/** The fields after the name of the program, see proc(5). Null: the process has ended. */
async function readStat(pid: number): Promise<string[] | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function readOne(pid: number): Promise<ProcessCost> {
  const stat = await readStat(pid)
  // utime, stime, and those of children that have ended.
  const ticks = (stat ?? []).slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const kib = Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0)
  return { cpuMs: ticks * tickMs, memoryMiB: kib / 1024 }
}
