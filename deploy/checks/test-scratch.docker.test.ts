import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmbedded } from '@/lib/database/embedded'
import { Engine } from '@/worker/testing/engine'
import { createEngineClient } from '../engine/docker-api.mjs'
import { clearDirectory, createScratch } from './test-scratch'

const host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock'
let scratch = ''
beforeAll(() => {
  scratch = createScratch()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

it('an interrupted check leaves no database, container, network or mount', async () => {
  const directory = join(scratch, 'docker')
  const { url } = await startEmbedded(join(directory, 'data'), ['fsync=off'])
  const engine = new Engine()
  const node = `node-${process.pid}`
  const sleep = 'import time; time.sleep(1000)'
  const ours = await engine.run(`gpuq-scratch-${node}`, { 'gpuq.test': directory, 'gpuq.node': node }, sleep)
  const other = await engine.run(`gpuq-other-${node}`, { 'gpuq.test': `${directory}-2` }, sleep)
  const network = { Name: `gpuq-${node}`, Internal: true, Labels: { 'gpuq.node': node } }
  const body = JSON.stringify(network)
  await createEngineClient(host).call('POST', '/networks/create', { body, type: 'application/json' })
  const mounted = join(directory, 'results')
  mkdirSync(mounted)
  if (process.getuid?.() === 0) execFileSync('mount', ['-t', 'tmpfs', 'gpuq-results', mounted])
  try {
    await clearDirectory(directory, host)
    expect(await engine.containers(`gpuq.test=${directory}`)).toEqual([])
    expect((await engine.containers(`gpuq.test=${directory}-2`)).map(({ id }) => id)).toEqual([other])
    expect(await engine.networks(`gpuq.node=${node}`)).toEqual([])
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(mounted)
    expect(existsSync(directory)).toBe(false)
    expect(existsSync(new URL(url).searchParams.get('host') ?? '')).toBe(false)
  } finally {
    await engine.remove(ours)
    await engine.remove(other)
  }
})
