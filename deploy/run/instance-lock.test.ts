import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkPort, lockDataDir } from './instance-lock.mjs'
import { processIdentity } from './processes.mjs'

// The tests start other programs, which takes long on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gpuq-occupancy-test-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('a data directory', () => {
  it('can be locked again after a release', () => {
    const first = lockDataDir(dataDir, 8001)
    expect(first.afterCrash).toBe(false)
    first.release()
    expect(lockDataDir(dataDir, 8001).afterCrash).toBe(false)
  })

  it('is rejected with instructions if it is not writable', () => {
    const file = join(dataDir, 'a-file')
    writeFileSync(file, '')
    expect(() => lockDataDir(file, 8001)).toThrow(/^Cannot write to the data directory .*EEXIST/)
  })

  it('can be locked again after its owner was killed', () => {
    const dead = { pid: 2 ** 22 + 1, identity: 'some boot/1', port: 8001 }
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify(dead))
    expect(lockDataDir(dataDir, 8002).afterCrash).toBe(true)
    expect(JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')).pid).toBe(process.pid)
  })

  it.runIf(process.platform === 'linux')('cannot be locked while its owner runs', () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
    const pid = other.pid ?? 0
    const holder = { pid, identity: processIdentity(pid), port: 8003 }
    writeFileSync(join(dataDir, 'running.json'), JSON.stringify(holder))
    expect(() => lockDataDir(dataDir, 8001)).toThrow(`http://localhost:8003 (process ${pid})`)
    other.kill()
  })
})

describe('a port', () => {
  it('is rejected with instructions if it is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await expect(checkPort(port, '127.0.0.1')).rejects.toThrow(new RegExp(`^Port ${port} is already in use`))
    const waiting = checkPort(port, '127.0.0.1', { patient: true })
    server.close()
    await expect(waiting).resolves.toBeUndefined()
  })
})
