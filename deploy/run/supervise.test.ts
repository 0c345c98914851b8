import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { processIdentity } from './processes.mjs'
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

function run(script: string, nodeArgs: string[] = [], onLine?: (line: string) => void) {
  const logFile = join(directory, 'logs', 'program.log')
  const program = { name: 'program', args: [...nodeArgs, '-e', script], env: process.env, logFile, onLine }
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

describe('a restart', () => {
  const staying = 'setInterval(() => {}, 1e6); console.log("up")'

  it('starts the program again at once, and is no failure', async () => {
    const { supervised, log } = run(staying)
    for (const starts of [1, 2, 3, 4]) {
      await vi.waitFor(() => expect(log().match(/up/g)).toHaveLength(starts), waitOptions)
      supervised.restart()
    }
    await vi.waitFor(() => expect(log().match(/up/g)).toHaveLength(5), waitOptions)
    expect(said).toEqual([])
  })

  it('ends what the program has started', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'])`
    const { supervised, log } = run(`console.log('child', ${child}.pid); ${staying}`)
    await vi.waitFor(() => expect(log()).toContain('up'), waitOptions)
    const pid = Number(/child (\d+)/.exec(log())?.[1])
    expect(processIdentity(pid)).not.toBeNull()
    supervised.restart()
    await vi.waitFor(() => expect(processIdentity(pid)).toBeNull(), waitOptions)
  })

  it('does nothing once the program is being stopped', async () => {
    const { supervised, log } = run(staying)
    await vi.waitFor(() => expect(log()).toContain('up'), waitOptions)
    const stopping = supervised.stop(60_000)
    supervised.restart()
    await stopping
    expect(log().match(/up/g)).toHaveLength(1)
  })
})

it('passes each line on, and keeps it in the log', async () => {
  const lines: string[] = []
  const { log } = run('console.log("out"); console.error("err"); setInterval(() => {}, 1e6)', [], (line) =>
    lines.push(line),
  )
  await vi.waitFor(() => expect(lines.toSorted()).toEqual(['err', 'out']), waitOptions)
  expect(log().trim().split('\n').toSorted()).toEqual(['err', 'out'])
})

describe('exit with parent', () => {
  const exitWithParent = join(root, 'deploy', 'run', 'exit-with-parent.mjs')

  it('keeps a program that waits for messages', async () => {
    const script =
      'process.on("message", () => {}); process.on("exit", () => console.log("ended")); console.log("up")'
    const { log } = run(`${script}; setTimeout(() => console.log("waiting"), 200).unref()`, [
      '--import',
      exitWithParent,
    ])
    await vi.waitFor(() => expect(log()).toContain('waiting'), waitOptions)
    expect(log()).not.toContain('ended')
  })

  it('lets a program end by itself', async () => {
    const { log } = run('console.log("done")', ['--import', exitWithParent])
    await vi.waitFor(() => expect(said[0]).toMatch(/exited with code 0/), waitOptions)
    expect(log()).toContain('done')
  })

  it('ends a program when its supervisor has gone', async () => {
    const { log } = run(
      'process.on("SIGINT", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); process.disconnect()',
      ['--import', exitWithParent],
    )
    await vi.waitFor(() => expect(log()).toContain('bye'), waitOptions)
  })
})
