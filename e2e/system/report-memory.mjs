/**
 * Loaded into the programs of a system under test. At SIGUSR2, a program collects garbage and writes the memory that it has
 * left to a file: what is live, and what the process keeps of the operating system's memory. The latter also depends on how much
 * garbage there was at once, so on how busy the machine is.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
let reports = 0

process.on('SIGUSR2', () => {
  // Without arguments: with them, some versions of Node.js leave most of the garbage.
  collect()
  const file = join(process.env.GPUQ_DATA_DIR ?? '', `memory-${process.pid}.json`)
  reports += 1
  const { rss, heapUsed, external } = process.memoryUsage()
  const report = { reports, residentMib: rss / 1024 ** 2, liveMib: (heapUsed + external) / 1024 ** 2 }
  writeFileSync(`${file}.new`, JSON.stringify(report))
  renameSync(`${file}.new`, file)
})
