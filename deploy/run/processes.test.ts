import { spawn } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { CommandFailed, endProcess, processIdentity, runCommand } from './processes.mjs'

const node = process.execPath

describe('runCommand', () => {
  it('passes on each line of both outputs', async () => {
    const lines: string[] = []
    await runCommand(node, ['-e', 'console.log("one\\rtwo"); console.error("three")'], {
      onLine: (line) => lines.push(line),
    })
    expect(lines.toSorted()).toEqual(['one', 'three', 'two'])
  })

  it('includes the last lines of a failed program in the error', async () => {
    const failing = runCommand(node, ['-e', 'console.error("the reason"); process.exit(3)'])
    await expect(failing).rejects.toThrow(CommandFailed)
    await expect(failing).rejects.toThrow(/exited with code 3[\s\S]*the reason/)
  })

  it('names a program that does not exist', async () => {
    await expect(runCommand('gpuq-no-such-program', [])).rejects.toThrow(
      /gpuq-no-such-program could not start/,
    )
  })

  it('stops the program on abort, and settles after its exit', async () => {
    const stop = new AbortController()
    let ended = false
    const script =
      'process.on("SIGTERM", () => { console.log("bye"); process.exit() }); setInterval(() => {}, 1e6); console.log("up")'
    const running = runCommand(node, ['-e', script], {
      signal: stop.signal,
      onLine(line) {
        if (line === 'up') stop.abort(new Error('stopped'))
        if (line === 'bye') ended = true
      },
    })
    await expect(running).rejects.toThrow('stopped')
    expect(ended).toBe(true)
  })
})

it.runIf(process.platform === 'linux')('a stop ends the children of the program too', async () => {
  const stop = new AbortController()
  let grandchild = 0
  const running = runCommand('sh', ['-c', 'sleep 1000 & echo $!; wait'], {
    signal: stop.signal,
    onLine(line) {
      grandchild = Number(line)
      stop.abort(new Error('stopped'))
    },
  })
  await expect(running).rejects.toThrow('stopped')
  expect(grandchild).toBeGreaterThan(0)
  await vi.waitFor(() => expect(processIdentity(grandchild)).toBeNull(), { timeout: 60_000 })
})

describe.runIf(process.platform === 'linux')('processIdentity', () => {
  it('distinguishes processes with the same number', () => {
    expect(processIdentity(process.pid)).toMatch(/\/\d+$/)
    expect(processIdentity(process.pid)).not.toBe(processIdentity(process.ppid))
    expect(processIdentity(2 ** 22 + 1)).toBeNull()
  })

  it('kills a process that ignores SIGTERM, and no other process with its number', async () => {
    const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6); console.log("up")'
    const child = spawn(node, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    await new Promise((resolve) => child.stdout.once('data', resolve))
    const pid = child.pid ?? 0
    const identity = processIdentity(pid) ?? ''
    await endProcess(pid, 'another boot/1', 10)
    expect(processIdentity(pid)).toBe(identity)
    await endProcess(pid, identity, 50)
    expect(processIdentity(pid)).toBeNull()
  })
})
