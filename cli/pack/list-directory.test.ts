import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeContext } from '../testing/fake-context'
import { listDirectory } from './list-directory'

const limits = { max_bytes: 1000, max_entries: 5 }
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let root: string
let home: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-list-'))
  home = await mkdtemp(join(tmpdir(), 'gpuq-home-'))
})
afterEach(async () => {
  await rm(root, { recursive: true })
  await rm(home, { recursive: true })
})

function list() {
  const context = {
    ...fakeContext(() => new Response(null, { status: 500 })),
    env: { ...process.env, HOME: home },
  }
  return listDirectory(context, root, limits, false)
}

describe('listing a directory', () => {
  it('lists content, mode and links', async () => {
    await writeFile(join(root, 'a'), 'a')
    await writeFile(join(root, 'run'), '')
    await chmod(join(root, 'run'), 0o755)
    await symlink('a', join(root, 'link'))
    const { entries, bytes } = await list()
    expect(bytes).toBe(1)
    expect(entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'a', bytes: 1, sha256: sha256('a') },
      { path: 'link', target: 'a' },
      { path: 'run', bytes: 0, sha256: sha256(''), executable: true },
    ])
  })

  it('rejects a directory that is too large, with its largest files, or has too many files', async () => {
    await writeFile(join(root, 'model.ckpt'), Buffer.alloc(2000))
    await writeFile(join(root, 'small'), 'x')
    await expect(list()).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringMatching(/2\.0 KiB {2}model\.ckpt\n/),
    })
    await writeFile(join(root, '.gpuqignore'), 'model.ckpt\n')
    expect((await list()).entries).toHaveLength(2)
    for (let index = 0; index < 4; index++) await writeFile(join(root, `f${index}`), '')
    await expect(list()).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('rejects an empty directory', async () => {
    await expect(list()).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('detects every change, even if size and mtime were restored', async () => {
    const path = join(root, 'a')
    const hashNow = async () => (await list()).entries.map((entry) => 'sha256' in entry && entry.sha256)
    const old = new Date('2020-01-01')
    await writeFile(path, 'one')
    await utimes(path, old, old)
    expect(await hashNow()).toEqual([sha256('one')])
    expect(await hashNow()).toEqual([sha256('one')])
    await writeFile(path, 'two')
    await utimes(path, old, old)
    expect(await hashNow()).toEqual([sha256('two')])
  })
})
