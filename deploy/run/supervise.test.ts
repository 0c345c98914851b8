import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { root } from './settings.mjs'
import { restartDelay, type Supervised, supervise } from './supervise'

/** The tests start other programs, which takes long on a busy machine. */
const waitOptions = { timeout: 60_000 }

let directory: string
let supervised: Supervised | undefined
const said: string[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpuq-supervise-test-'))
  said.length = 0
})
afterEach(async () => {
  await supervised?.stop(1000)
  rmSync(directory, { recursive: true })
})

function run(script: string, ...nodeArgs: string[]) {
  const logFile = join(directory, 'logs', 'program.log')
  const program = { name: 'program', args: [...nodeArgs, '-e', script], env: process.env, logFile }
  supervised = supervise(program, (sentence) => said.push(sentence))
  return { supervised, log: () => readFileSync(logFile, 'utf8') }
}

describe('the restart delay', () => {
  it('doubles up to a maximum', () => {
    expect([1, 2, 3, 4].map(restartDelay)).toEqual([500, 1000, 2000, 4000])
    expect(restartDelay(1000)).toBe(30_000)
  })
})

describe('a supervised program', () => {
  it('is restarted after a crash, with one line of log', async () => {
    const { log } = run('console.log("up"); setTimeout(() => process.exit(7), 50)')
    await vi.waitFor(() => expect(log().match(/up/g)).toHaveLength(2), waitOptions)
    expect(said[0]).toMatch(/^Program exited with code 7; restarting in 0.5 s/)
    expect(said[0]).not.toContain('\n')
  })

  it('fails with its last lines of output if it never comes up', async () => {
    const { supervised } = run('console.error("no such table"); process.exit(1)')
    await expect(supervised.failed).rejects.toThrow(/exited with code 1 repeatedly[\s\S]*no such table/)
  })

  it('is asked to end first, and is not restarted', async () => {
    const { supervised, log } = run(
      'process.on("SIGINT", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); console.log("up")',
    )
    await vi.waitFor(() => expect(log()).toContain('up'), waitOptions)
    await supervised.stop(60_000)
    expect(log()).toContain('bye')
    expect(said).toEqual([])
  })

  it('is killed if it ignores the signal', async () => {
    const { supervised, log } = run(
      'process.on("SIGINT", () => {}); setInterval(() => {}, 1e6); console.log("up")',
    )
    await vi.waitFor(() => expect(log()).toContain('up'), waitOptions)
    await supervised.stop(100)
    expect(said).toEqual([])
  })
})

describe('exit with parent', () => {
  it('lets a program exit normally', async () => {
    const { log } = run(
      'console.log("done")',
      '--import',
      join(root, 'deploy', 'run', 'exit-with-parent.mjs'),
    )
    await vi.waitFor(() => expect(said[0]).toMatch(/exited with code 0/), waitOptions)
    expect(log()).toContain('done')
  })

  it('ends a program when its supervisor has gone', async () => {
    const exitWithParent = join(root, 'deploy', 'run', 'exit-with-parent.mjs')
    const { log } = run(
      'process.on("SIGINT", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); process.disconnect()',
      '--import',
      exitWithParent,
    )
    await vi.waitFor(() => expect(log()).toContain('bye'), waitOptions)
  })
})
