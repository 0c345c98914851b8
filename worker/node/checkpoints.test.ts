import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkpointsOf, measureDirectory, openCheckpoints } from './checkpoints'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-checkpoints-'))
})
afterAll(() => rm(root, { recursive: true }))

const task = (name?: string) => ({
  spec: name === undefined ? {} : { run_name: name },
  project: { id: 'project', owner: 'ada', slug: 'thesis' },
})

it('are those of the run, whichever job or attempt asks', () => {
  expect(checkpointsOf('/shared', task())).toBeNull()
  expect(checkpointsOf('/shared', task('base-2'))).toBe('/shared/project/base-2')
})

it('stay as a run left them, and belong to the same user each time', async () => {
  const path = checkpointsOf(root, task('kept'))
  const first = await openCheckpoints(path, null)
  await writeFile(join(root, 'project/kept/state'), 'step 7')
  expect(await openCheckpoints(path, null)).toEqual(first)
  expect((await stat(join(root, 'project/kept/state'))).size).toBe(6)
  const other = await openCheckpoints(checkpointsOf(root, task('other')), null)
  expect(other?.uid).not.toBe(first?.uid)
})

it('take what they take of the disk, not what their files say they are long', async () => {
  const path = checkpointsOf(root, task('measured')) ?? ''
  await openCheckpoints(path, null)
  const empty = await measureDirectory(path)
  await writeFile(join(path, 'weights'), Buffer.alloc(1 << 20, 1))
  const full = await measureDirectory(path)
  expect(full - empty).toBeGreaterThanOrEqual(1 << 20)
  expect(await measureDirectory(path, 1000)).toBeGreaterThan(1000)
  expect(await measureDirectory(join(path, 'gone'))).toBe(0)
})
