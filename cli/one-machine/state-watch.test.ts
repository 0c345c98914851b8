import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Client } from '@/lib/http/client/client'
import { ClaimLogFile } from './claim-log-file'
import { StateWatch } from './state-watch'
import { keepWarnings } from './testing/warnings'

let directory: string
let path: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-state-'))
  path = join(directory, 'gpu_scheduler_state.json')
})
afterEach(async () => {
  for (const claims of opened.splice(0)) await claims.close()
  await rm(directory, { recursive: true, force: true })
})
const opened: ClaimLogFile[] = []
function openClaims(): ClaimLogFile {
  const claims = new ClaimLogFile(join(directory, 'jobs.txt.taken'), 'ada')
  opened.push(claims)
  return claims
}

/** A server with one GPU and without jobs, and the warnings about the file. */
function watching() {
  const gpu = { gpu_id: 'a', index: 0, state: 'free', jobs: [] }
  let resets = 0
  const client = {
    cluster: {
      get: async () => ({ nodes: [{ name: 'lab', state: 'ready', gpus: [gpu] }] }),
      updateGpu: async (_: string, { paused }: { paused: boolean }) => {
        gpu.state = paused ? 'paused' : 'free'
      },
    },
    queue: { list: async () => ({ running: [], queued: [], queued_total: 0 }) },
    jobs: { list: async () => ({ items: [], next: null }) },
  } as unknown as Client
  const { warned, log } = keepWarnings()
  const onReset = () => {
    resets += 1
  }
  const options = { path, server: 'http://gpuq.test', client, log, claims: openClaims(), onReset }
  return { warned, gpu, resets: () => resets, watch: new StateWatch(options) }
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

const claim = { account: 'ada', line: 'a', nth: 1, key: 'key' }
const claimed = async () => (await openClaims().refresh()).countPresent('a')

it('resumes paused GPUs and forgets claimed lines after the file was deleted, once', async () => {
  const { watch, gpu, resets } = watching()
  await openClaims().append([claim])
  await watch.check()
  await writeFile(path, JSON.stringify({ ...JSON.parse(await read()), paused_gpus: [0] }))
  await watch.check()
  expect([gpu.state, await claimed(), resets()]).toEqual(['paused', 1, 0])
  await rm(path)
  await watch.check()
  expect([gpu.state, await claimed(), resets()]).toEqual(['free', 0, 1])
  expect(JSON.parse(await read())).toMatchObject({ paused_gpus: [] })
  await openClaims().append([claim])
  await watch.check()
  expect([await claimed(), resets()]).toEqual([1, 1])
})

it('the state is reset if its file was deleted while nothing watched it, but not before it was ever written', async () => {
  await openClaims().append([claim])
  const first = watching()
  first.gpu.state = 'paused'
  await first.watch.check()
  expect([first.gpu.state, await claimed()]).toEqual(['paused', 1])
  await rm(path)
  const second = watching()
  second.gpu.state = 'paused'
  await second.watch.check()
  expect([second.gpu.state, await claimed(), second.resets()]).toEqual(['free', 0, 1])
})
