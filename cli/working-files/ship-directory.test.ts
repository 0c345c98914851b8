import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeContext } from '../testing/fake-context'
import { resolveWorkingDirectory, shipDirectory } from './ship-directory'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-ship-'))
})
afterEach(() => rm(root, { recursive: true }))

const archive = 'a'.repeat(64)

const options = { quiet: true, check: async () => {} }

/** A server whose project shares a directory, and the requests that it got. */
function open(shared: string | null) {
  const requests: string[] = []
  const context = fakeContext((request) => {
    const { pathname, searchParams } = new URL(request.url)
    requests.push(`${request.method} ${pathname}`)
    if (request.method === 'POST') return Response.json({ archive, missing: [] })
    expect(searchParams.get('project_id')).toBe('p')
    return Response.json({ max_bytes: 1000, max_entries: 10, shared_directory: shared })
  })
  context.env = { ...context.env, XDG_CACHE_HOME: join(root, 'cache') }
  return { context, requests }
}

describe('a working directory', () => {
  it('is sent, and the hashes of its files are known', async () => {
    const directory = join(root, 'project')
    await mkdir(directory)
    await writeFile(join(directory, 'train.sh'), 'echo')
    await writeFile(join(directory, 'model.ckpt'), 'ignored')
    await writeFile(join(directory, '.gpuqignore'), '*.ckpt\n.gpuqignore\n')
    await symlink('train.sh', join(directory, 'latest'))
    const { context } = open(null)
    const sha256 = createHash('sha256').update('echo').digest('hex')
    expect(await shipDirectory(context, 'p', directory, options)).toEqual({
      ...{ shared: false, path: directory, archive },
      shipped: { 'train.sh': sha256 },
      notSent: 'Not sent: 2 files: *.ckpt (.gpuqignore), .gpuqignore (.gpuqignore).',
    })
  })

  it('a working directory that the cluster shares is not sent, but one beside it is', async () => {
    const { context, requests } = open(root)
    await mkdir(join(root, 'inside'))
    expect(await shipDirectory(context, 'p', join(root, 'inside'), options)).toMatchObject({ shared: true })
    expect(requests).toEqual(['GET /api/archives'])
    const other = open(join(root, 'inside'))
    await mkdir(join(root, 'inside-2'))
    await writeFile(join(root, 'inside-2', 'file'), 'text')
    expect(await shipDirectory(other.context, 'p', join(root, 'inside-2'), options)).toMatchObject({
      archive,
    })
  })

  it('is not sent for a job that would be refused', async () => {
    const { context, requests } = open(null)
    await mkdir(join(root, 'refused'))
    await writeFile(join(root, 'refused', 'file'), 'text')
    const check = () => Promise.reject(new Error('This job cannot start: no node is large enough.'))
    const shipping = shipDirectory(context, 'p', join(root, 'refused'), { quiet: true, check })
    await expect(shipping).rejects.toThrow('This job cannot start: no node is large enough.')
    expect(requests).toEqual(['GET /api/archives'])
  })

  it('may be empty', async () => {
    const { context, requests } = open(null)
    await mkdir(join(root, 'empty'))
    const path = join(root, 'empty')
    const shipped = await shipDirectory(context, 'p', path, options)
    expect(shipped).toEqual({ shared: false, path, archive: undefined, shipped: {}, notSent: null })
    expect(requests).toEqual(['GET /api/archives'])
  })

  it('is not the home directory, one above it, or one of the system', async () => {
    const env = { NODE_ENV: 'test', HOME: '/home/ada' } as const
    for (const path of ['/home/ada', '/home', '/', '/usr/lib', '/etc', '/tmp'])
      await expect(resolveWorkingDirectory(env, path)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await resolveWorkingDirectory(env, '/home/ada/project/')).toBe('/home/ada/project')
  })

  it('keeps the links of its path, as the shell shows it', async () => {
    const current = process.cwd()
    await symlink(current, join(root, 'link'))
    const env = { NODE_ENV: 'test', HOME: root } as const
    expect(await resolveWorkingDirectory({ ...env, PWD: join(root, 'link') }, '.')).toBe(join(root, 'link'))
    expect(await resolveWorkingDirectory({ ...env, PWD: root }, '.')).toBe(current)
  })
})
