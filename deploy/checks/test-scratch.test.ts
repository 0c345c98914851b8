import { spawn } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { processIdentity } from '../run/processes.mjs'
import { createScratch, withDirectory } from './test-scratch'

vi.setConfig({ testTimeout: 30_000 })

let scratch = ''
let unrelated: ReturnType<typeof spawn>
beforeEach(() => {
  scratch = createScratch()
  unrelated = spawn('sleep', ['1000'], { stdio: 'ignore' })
})
afterEach(() => {
  unrelated.kill('SIGKILL')
  rmSync(scratch, { recursive: true, force: true })
})

/** A process of a session of its own, as a database is; resolves once it runs. */
async function start(script: string, env: Record<string, string>, cwd?: string) {
  const child = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1e6); console.log("up")`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_ENV: 'test', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return child.pid ?? 0
}

describe.runIf(process.platform === 'linux')('a check that leaves processes and files behind', () => {
  it('ends all of its processes, even those that ignore SIGTERM, and no others', async () => {
    let pids: number[] = []
    let made = ''
    const warned: string[] = []
    const work = async (directory: string) => {
      made = directory
      pids = await Promise.all([
        start('', { TMPDIR: directory }),
        start(`process.on("SIGTERM", () => {}); "${directory}/data"`, {}),
        start('', {}, directory),
      ])
      throw new Error('ended')
    }
    await expect(withDirectory(scratch, 'db', work, (text) => warned.push(text))).rejects.toThrow('ended')
    expect(pids.map(processIdentity)).toEqual([null, null, null])
    expect(processIdentity(unrelated.pid ?? 0)).not.toBeNull()
    expect(existsSync(made)).toBe(false)
    expect(warned).toEqual([])
  })

  it('does not end the processes of another check', async () => {
    await withDirectory(
      scratch,
      'e2e',
      async (other) => {
        const pid = await start('', { TMPDIR: other })
        const namesake = await start('', { TMPDIR: `${other}-2` })
        await withDirectory(scratch, 'db', async () => {}, expect.fail)
        expect(processIdentity(pid)).not.toBeNull()
        await withDirectory(scratch, 'e2', async () => {}, expect.fail)
        expect(processIdentity(pid)).not.toBeNull()
        process.kill(namesake, 'SIGKILL')
      },
      expect.fail,
    )
  })
})

it('has a directory that every user may write to, as databases run as one of their own', async () => {
  await withDirectory(
    scratch,
    'db',
    async (directory) => {
      expect(statSync(directory).mode & 0o7777).toBe(0o1777)
      expect(statSync(scratch).mode & 0o777).toBe(0o711)
    },
    expect.fail,
  )
})
