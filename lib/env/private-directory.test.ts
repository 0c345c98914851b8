import { chmod, chown, lchown, lstat, mkdir, mkdtemp, open, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeDirectory, makePrivateDirectory } from './private-directory'

const stranger = 65_534
const isRoot = process.geteuid?.() === 0
const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8)

let root: string
let umask: number
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-private-'))
  umask = process.umask(0)
})
afterEach(async () => {
  process.umask(umask)
  await rm(root, { recursive: true })
})

describe('a private directory', () => {
  it('can be entered by nobody else, and neither can the new ones above it', async () => {
    const path = join(root, 'a', 'b')
    await makePrivateDirectory(path)
    expect([await modeOf(path), await modeOf(dirname(path))]).toEqual(['700', '700'])
  })

  it.each([0o755, 0o711, 0o2777])(
    'is closed if it had mode %o; what is below keeps its modes',
    async (mode) => {
      const path = join(root, 'tasks')
      await mkdir(join(path, 'one'), { recursive: true, mode: 0o755 })
      await chmod(path, mode)
      await makePrivateDirectory(path)
      expect((await stat(path)).mode & 0o777).toBe(0o700)
      expect(await modeOf(join(path, 'one'))).toBe('755')
    },
  )

  it('is not created by a correction', async () => {
    await closeDirectory(join(root, 'absent'))
    await expect(stat(join(root, 'absent'))).rejects.toThrow('ENOENT')
  })

  it('may be a link to a closed directory, but an open one is neither used nor changed', async () => {
    const target = join(root, 'disk')
    await mkdir(target, { mode: 0o755 })
    await symlink(target, join(root, 'tasks'))
    await expect(makePrivateDirectory(join(root, 'tasks'))).rejects.toThrow(`chmod 700 ${target}`)
    expect(await modeOf(target)).toBe('755')
    await chmod(target, 0o700)
    await makePrivateDirectory(join(root, 'tasks'))
    expect((await lstat(join(root, 'tasks'))).isSymbolicLink()).toBe(true)
  })

  it('is refused if this account may not close it, but a correction leaves it to its owner', async () => {
    const path = join(root, 'tasks')
    await mkdir(path, { mode: 0o755 })
    const handle = await open(root)
    const mayNot = Object.assign(new Error('EPERM'), { code: 'EPERM' })
    const chmodOfHandle = vi.spyOn(Object.getPrototypeOf(handle), 'chmod').mockRejectedValue(mayNot)
    await handle.close()
    await expect(makePrivateDirectory(path)).rejects.toThrow(/chown -R \d+ .*tasks/)
    await closeDirectory(path)
    chmodOfHandle.mockRestore()
    expect(await modeOf(path)).toBe('755')
  })

  it.runIf(isRoot)('is refused if another account made it where others can write', async () => {
    const path = join(root, 'tasks')
    await mkdir(path)
    await chown(path, stranger, stranger)
    for (const [mode, advice] of [
      [0o1777, 'Remove it'],
      [0o777, `chmod go-w ${root}`],
    ] as const) {
      await chmod(root, mode)
      const refused = expect(makePrivateDirectory(path)).rejects
      await refused.toThrow(new RegExp(`belongs to another account \\(uid ${stranger}\\).*${advice}`))
    }
    expect((await stat(path)).uid).toBe(stranger)
    // Here, only the owner of the directory above can have made it, such as another program of gpuq.
    await chmod(root, 0o755)
    await makePrivateDirectory(path)
    expect(await modeOf(path)).toBe('700')
  })

  it.runIf(isRoot)('is not changed through a link of another account', async () => {
    const path = join(root, 'socket')
    const target = join(root, 'etc')
    await mkdir(target, { mode: 0o755 })
    await symlink(target, path)
    await lchown(path, stranger, stranger)
    await chmod(root, 0o1777)
    await expect(makePrivateDirectory(path, { uid: 1, gid: 1 })).rejects.toThrow('belongs to another account')
    expect([await modeOf(target), (await stat(target)).uid]).toEqual(['755', process.geteuid?.()])
  })

  it.runIf(isRoot)('belongs to the account that it is made for', async () => {
    const path = join(root, 'postgres')
    for (let run = 0; run < 2; run++) await makePrivateDirectory(path, { uid: stranger, gid: stranger })
    const { uid, gid } = await stat(path)
    expect([uid, gid, await modeOf(path)]).toEqual([stranger, stranger, '700'])
  })
})
