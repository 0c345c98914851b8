import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endScreenMode, isScreenMode, recordScreenMode } from './screen-mode'

const server = 'http://localhost:8001'

it('holds for the server that a running `gpuq start --screen` watches', async () => {
  const home = await mkdtemp(join(tmpdir(), 'gpuq-screen-mode-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const env = { NODE_ENV: 'test' as const, XDG_CONFIG_HOME: home }
  expect(await isScreenMode(env, server)).toBe(false)
  await recordScreenMode(env, server)
  expect(await isScreenMode(env, server)).toBe(true)
  expect(await isScreenMode(env, 'http://gpu.example.org')).toBe(false)
  await endScreenMode(env)
  expect(await isScreenMode(env, server)).toBe(false)
  // It was killed.
  await writeFile(join(home, 'gpuq', 'screen.json'), JSON.stringify({ server, pid: 1_999_999_999 }))
  expect(await isScreenMode(env, server)).toBe(false)
})
