import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { testedValues } from '@/lib/env/testing/test-matrix'
import type { Lab } from './testing/lab'
import { it } from './testing/lab-test'
import { giveDirectory } from './testing/uploaded-directory'
import { isWarm, startWarmWorker, untilWarm } from './testing/warm'

const directory = join(import.meta.dirname, 'testing/libraries')

const memory = { memory_gb: 4 }

async function readPrograms(): Promise<Record<string, string>> {
  const names = await readdir(join(directory, 'programs'))
  const contents = names.map(async (name) => {
    const path = `programs/${name}`
    return [path, await readFile(join(directory, path), 'utf8')] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

/** The name of each program with "ok", or with its error. */
async function runAll(lab: Lab, programs: Record<string, string>, warm: boolean): Promise<string[]> {
  const code = `${isWarm}\n${await readFile(join(directory, 'run-all.py'), 'utf8')}`
  const job = await lab.jobs.submit(code, { held: true, spec: memory })
  await giveDirectory(lab, job, programs)
  await lab.jobs.letGo(job)
  expect(await lab.jobs.untilFinal(job, 600_000)).toMatchObject({ status: 'completed' })
  const [inWarm, ...lines] = await lab.jobs.lines(job)
  expect(inWarm).toBe(warm ? 'True' : 'False')
  return lines
}

it.for(testedValues([false], [true]))(
  'common libraries work in a hardened container without a network (warm: %s)',
  async (warm, { openLab }) => {
    const lab = await openLab()
    const programs = await readPrograms()
    if (warm) {
      await startWarmWorker(lab)
      await lab.jobs.untilFinal(await lab.jobs.submit('print("first")', { spec: memory }))
      await untilWarm(lab, 2)
    } else await lab.startWorker({ node: 'a' })
    const names = Object.keys(programs).map((path) => path.slice('programs/'.length, -'.py'.length))
    expect(names).toHaveLength(15)
    expect(await runAll(lab, programs, warm)).toEqual(names.sort().map((name) => `${name} ok`))
  },
)
