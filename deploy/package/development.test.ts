import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchWorker } from './development.mjs'

let directory: string
let source: string
let dispose: (() => Promise<void>) | undefined
const bundles: (string | null)[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-development-test-'))
  source = join(directory, 'program.ts')
  bundles.length = 0
})
afterEach(async () => {
  await dispose?.()
  rmSync(directory, { recursive: true })
})

const bundle = () => readFileSync(join(directory, 'out', 'worker.js'), 'utf8')

it('bundles again after each change, and keeps the last good bundle', async () => {
  writeFileSync(source, 'console.log("one")')
  dispose = await watchWorker({
    onBundle: (problem) => bundles.push(problem),
    entryPoints: { worker: source },
    directory: join(directory, 'out'),
  })
  await vi.waitFor(() => expect(bundles).toEqual([null]))
  expect(bundle()).toContain('one')

  writeFileSync(source, 'console.log(')
  await vi.waitFor(() => expect(bundles).toHaveLength(2))
  expect(bundles[1]).toContain('program.ts:1')
  expect(bundle()).toContain('one')

  writeFileSync(source, 'console.log("three")')
  await vi.waitFor(() => expect(bundles).toHaveLength(3))
  expect(bundles[2]).toBeNull()
  expect(bundle()).toContain('three')
})
