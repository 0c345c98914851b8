import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from '@/lib/http/client/client'
import { StateWatch } from './state-watch'
import { keepWarnings } from './testing/warnings'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-state-'))
  path = join(directory, 'gpu_scheduler_state.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

/** A server without jobs, and the warnings about the file. */
function watching() {
  const client = {
    cluster: { get: async () => ({ nodes: [] }) },
    queue: { list: async () => ({ running: [], queued: [], queued_total: 0 }) },
    jobs: { list: async () => ({ items: [], next: null }) },
  } as unknown as Client
  const { warned, log } = keepWarnings()
  return { warned, watch: new StateWatch({ path, server: 'http://gpuq.test', client, log }) }
}

const read = () => readFile(path, 'utf8')
const isWhole = async () => 'paused_gpus' in JSON.parse(await read())

it('writes the file, and does not overwrite a file that was only just emptied', async () => {
  const { warned, watch } = watching()
  await watch.check()
  expect(await isWhole()).toBe(true)
  await truncate(path)
  await watch.check()
  expect(await read()).toBe('')
  expect(warned.text).toContain('is not valid')
  await watch.check()
  expect(await isWhole()).toBe(true)
  expect(warned.text).toContain('Overwriting')
})

it('does not overwrite a file that is empty at the first check', async () => {
  await writeFile(path, '')
  const { watch } = watching()
  await watch.check()
  expect(await read()).toBe('')
  await watch.check()
  expect(await isWhole()).toBe(true)
})

it('waits once for each of several invalid texts', async () => {
  const { watch } = watching()
  for (const text of ['{ "paused', '', '{ "paused_gpus": [']) {
    await writeFile(path, text)
    await watch.check()
    expect(await read()).toBe(text)
  }
  await watch.check()
  expect(await isWhole()).toBe(true)
})
