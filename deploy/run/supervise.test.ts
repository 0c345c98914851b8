import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { root } from './settings.mjs'
import { restartDelay, type Supervised, supervise } from './supervise'

/** Other programs are started here, which takes its time on a busy machine. */
const patience = { timeout: 60_000 }

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

describe('the wait before another start', () => {
  it('doubles, and has an end', () => {
    expect([1, 2, 3, 4].map(restartDelay)).toEqual([500, 1000, 2000, 4000])
    expect(restartDelay(1000)).toBe(30_000)
  })
})

describe('a supervised program', () => {
  it('is started again when it dies, and that is said in one line', async () => {
    const { log } = run('console.log("up"); setTimeout(() => process.exit(7), 50)')
    await vi.waitFor(() => expect(log().match(/up/g)).toHaveLength(2), patience)
    expect(said[0]).toMatch(/^Program ended with exit code 7; starting it again in 0.5 s/)
    expect(said[0]).not.toContain('\n')
  })

  it('is given up, with its last lines, when it never comes up', async () => {
    const { supervised } = run('console.error("no such table"); process.exit(1)')
    await expect(supervised.failed).rejects.toThrow(/exit code 1, again and again[\s\S]*no such table/)
  })

  it('is told to end first, and is not started again', async () => {
    const { supervised, log } = run(
      'process.on("SIGINT", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); console.log("up")',
    )
    await vi.waitFor(() => expect(log()).toContain('up'), patience)
    await supervised.stop(60_000)
    expect(log()).toContain('bye')
    expect(said).toEqual([])
  })

  it('is killed when it does not listen', async () => {
    const { supervised, log } = run(
      'process.on("SIGINT", () => {}); setInterval(() => {}, 1e6); console.log("up")',
    )
    await vi.waitFor(() => expect(log()).toContain('up'), patience)
    await supervised.stop(100)
    expect(said).toEqual([])
  })
})

describe('exit with parent', () => {
  it('lets a program end by itself', async () => {
    const { log } = run(
      'console.log("done")',
      '--import',
      join(root, 'deploy', 'run', 'exit-with-parent.mjs'),
    )
    await vi.waitFor(() => expect(said[0]).toMatch(/ended with exit code 0/), patience)
    expect(log()).toContain('done')
  })

  it('ends a program whose supervisor has gone', async () => {
    const exitWithParent = join(root, 'deploy', 'run', 'exit-with-parent.mjs')
    const { log } = run(
      'process.on("SIGINT", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); process.disconnect()',
      '--import',
      exitWithParent,
    )
    await vi.waitFor(() => expect(log()).toContain('bye'), patience)
  })
})
