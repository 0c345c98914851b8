import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { until } from '@/worker/testing/until'
import { theSystem } from './system/the-system'

const reportSchema = z.object({ reports: z.number(), residentMib: z.number(), liveMib: z.number() })
type Memory = z.infer<typeof reportSchema>

/** The id of the web server's process. */
export async function webPid(): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
    if (!(await read('cmdline')).includes('dist/web.js')) continue
    if ((await read('environ')).includes(`GPUQ_DATA_DIR=${theSystem().dataDir}\0`)) return Number(pid)
  }
  throw new Error('The web server does not run.')
}

/** The memory of the web server in MiB, without garbage. Only a system of `own-system.ts` reports it. */
export async function webMemory(): Promise<Memory> {
  const pid = await webPid()
  const read = async () => {
    const text = await readFile(join(theSystem().dataDir, `memory-${pid}.json`), 'utf8').catch(() => null)
    return text === null ? { reports: 0, residentMib: 0, liveMib: 0 } : reportSchema.parse(JSON.parse(text))
  }
  const before = await read()
  process.kill(pid, 'SIGUSR2')
  await until('the web server reports its memory', async () => (await read()).reports > before.reports)
  return read()
}
