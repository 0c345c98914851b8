import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, rename, rm, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openInside, safeWalk, TooManyFiles } from './safe-walk'

const limits = { maxEntries: 1_000, maxLevels: 64 }

let outer: string
let root: string
beforeEach(async () => {
  outer = await mkdtemp(join(tmpdir(), 'gpuq-walk-'))
  root = join(outer, 'root')
  await mkdir(root)
  await mkdir(join(outer, 'secrets'))
  await writeFile(join(outer, 'secrets/key'), 'secret')
})
afterEach(() => rm(outer, { recursive: true }))

const found = async () => (await safeWalk(root, limits)).files.map(({ path }) => path).sort()

it('finds only regular files, at any depth and with any names', async () => {
  await mkdir(join(root, 'a/b'), { recursive: true })
  for (const path of ['a/b/c', 'top', '\ufeffmark', 'two\nlines', '-rf'])
    await writeFile(join(root, path), path)
  await link(join(root, 'top'), join(root, 'again'))
  await symlink('/etc/passwd', join(root, 'link'))
  await symlink(join(outer, 'secrets'), join(root, 'linked'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'x')
  const server = createServer().listen(join(root, 'socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  const { files, skipped } = await safeWalk(root, limits)
  server.close()
  expect(files.map(({ path }) => path).sort()).toEqual(
    ['-rf', 'a/b/c', 'again', 'top', 'two\nlines', '\ufeffmark'].sort(),
  )
  expect(Object.fromEntries(skipped.map(({ path, why }) => [path, why]))).toEqual({
    link: 'it is not a regular file',
    linked: 'it is not a regular file',
    pipe: 'it is not a regular file',
    socket: 'it is not a regular file',
    '\xff\xfe': 'its path is not UTF-8',
  })
  for (const { path } of files) {
    const file = await openInside(root, path)
    expect(await file?.readFile('utf8')).toBe(path === 'again' ? 'top' : path)
    await file?.close()
  }
})

it('opens nothing that has been replaced since', async () => {
  await mkdir(join(root, 'dir'))
  for (const path of ['dir/key', 'key', 'pipe', 'gone']) await writeFile(join(root, path), 'own')
  expect(await found()).toEqual(['dir/key', 'gone', 'key', 'pipe'])
  await rm(join(root, 'dir'), { recursive: true })
  await symlink(join(outer, 'secrets'), join(root, 'dir'))
  await rm(join(root, 'key'))
  await symlink(join(outer, 'secrets/key'), join(root, 'key'))
  await rm(join(root, 'pipe'))
  // Opening it would wait for a writer forever.
  execFileSync('mkfifo', [join(root, 'pipe')])
  await unlink(join(root, 'gone'))
  for (const path of ['dir/key', 'key', 'pipe', 'gone', 'gone/x'])
    expect(await openInside(root, path)).toBeNull()
})

it('never leaves the directory, even if directories are replaced by links repeatedly', async () => {
  await mkdir(join(root, 'own'))
  await writeFile(join(root, 'own/key'), 'own')
  await symlink(join(outer, 'secrets'), join(root, 'link'))
  const secret = await stat(join(outer, 'secrets/key'), { bigint: true })
  let swapping = true
  const swaps = (async () => {
    while (swapping) {
      await rename(join(root, 'own'), join(root, 'swapped'))
      await rename(join(root, 'link'), join(root, 'own'))
      await rename(join(root, 'own'), join(root, 'link'))
      await rename(join(root, 'swapped'), join(root, 'own'))
    }
  })()
  for (let look = 0; look < 300; look++) {
    const { files } = await safeWalk(root, limits)
    expect(files.filter(({ inode }) => inode === secret.ino)).toEqual([])
    const file = await openInside(root, 'own/key')
    if (file) expect(await file.readFile('utf8')).toBe('own')
    await file?.close()
  }
  swapping = false
  await swaps
})

it('stops at the limits for entries and depth', async () => {
  for (let index = 0; index < 20; index++) await symlink('nowhere', join(root, `link-${index}`))
  await expect(safeWalk(root, { ...limits, maxEntries: 19 })).rejects.toThrow(TooManyFiles)
  const deep = join(root, ...Array.from({ length: 70 }, () => 'd'))
  await mkdir(deep, { recursive: true })
  await writeFile(join(deep, 'file'), 'x')
  const { files, skipped } = await safeWalk(root, limits)
  expect(files).toEqual([])
  expect(skipped.at(-1)?.why).toMatch(/more than 64 directories deep/)
})

it('detects changes by time and size, and clamps times that a database cannot store', async () => {
  await writeFile(join(root, 'file'), 'one')
  const [before] = (await safeWalk(root, limits)).files
  // Many kernels have a file time resolution of some milliseconds.
  await sleep(20)
  await utimes(join(root, 'file'), 12_000_000_000, 12_000_000_000)
  const [after] = (await safeWalk(root, limits)).files
  expect(after?.mtimeNs).not.toBe(before?.mtimeNs)
  expect(after?.ctimeNs).toBeGreaterThan(before?.ctimeNs ?? 0n)
  expect(after?.mtimeNs).toBeLessThan(2n ** 63n)
})
