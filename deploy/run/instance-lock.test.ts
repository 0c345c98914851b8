import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkPort, lockDataDir } from './instance-lock.mjs'
import { processIdentity } from './processes.mjs'

// Other programs are started here, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gpuq-occupancy-test-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('a data directory', () => {
  it('is free again after its release', () => {
    const first = lockDataDir(dataDir, 8001)
    expect(first.afterCrash).toBe(false)
    first.release()
    expect(lockDataDir(dataDir, 8001).afterCrash).toBe(false)
  })

  it('that cannot be had is refused in words', () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    expect(() => lockDataDir(file, 8001)).toThrow(/^gpuq cannot write to its data directory, .*EEXIST/)
  })

  it('is taken over from a run that was killed', () => {
    const dead = { pid: 2 ** 22 + 1, identity: 'some boot/1', port: 8001 }
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify(dead))
    expect(lockDataDir(dataDir, 8002).afterCrash).toBe(true)
    expect(JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')).pid).toBe(process.pid)
  })

  it.runIf(process.platform === 'linux')('is not taken from one that runs', () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
    const pid = other.pid ?? 0
    const holder = { pid, identity: processIdentity(pid), port: 8003 }
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify(holder))
    expect(() => lockDataDir(dataDir, 8001)).toThrow(`http://localhost:8003 (process ${pid})`)
    other.kill()
  })
})

describe('a port', () => {
  it('that is taken is refused in one sentence', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await expect(checkPort(port, '127.0.0.1')).rejects.toThrow(new RegExp(`^Port ${port} is taken`))
    const waiting = checkPort(port, '127.0.0.1', { patient: true })
    server.close()
    await expect(waiting).resolves.toBeUndefined()
  })
})
