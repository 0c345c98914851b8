import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { detail, fakeContext, idOf, jobId, self } from '../testing/fake-context'
import { sync } from './sync'
import { createState, newState, readStates } from './sync-state'

let root: string
let home: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-sync-command-'))
  home = join(root, 'home')
  for (const name of ['.ssh', 'project/out', 'elsewhere']) await mkdir(join(home, name), { recursive: true })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(root, { recursive: true })
})

const content = 'ssh-ed25519 attacker'
/** A server that says that a job of `owner` worked in `directory` and changed `authorized_keys` there. */
function serverOf(directory: string | null, owner = 'ada', ended = true) {
  const job = detail({ user_id: owner, ...(ended ? {} : { status: 'running', completed_at: null }) })
  const context = fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/users/me') return Response.json(self)
    if (pathname.endsWith(`/working-files/${idOf(7)}`)) return new Response(content)
    if (pathname.endsWith('/events'))
      return new Response(`event: job\ndata: ${JSON.stringify(job)}\n\nevent: end\ndata:\n\n`)
    if (!pathname.endsWith('/working-files')) return Response.json(job)
    const sha256 = createHash('sha256').update(content).digest('hex')
    const file = { file_id: idOf(7), rank: 0, path: 'authorized_keys', bytes: content.length, sha256 }
    const files = [{ ...file, executable: false, version: 1 }]
    return Response.json({ working_directory: directory, files, next: 1, more: false, ended })
  })
  context.env = {
    ...context.env,
    HOME: home,
    XDG_CACHE_HOME: join(root, 'cache'),
    GPUQ_SERVER: 'http://gpuq.test',
    GPUQ_TOKEN: 'a-token',
  }
  return context
}
const work = (...names: string[]) => vi.spyOn(process, 'cwd').mockReturnValue(join(home, ...names))
const written = async () =>
  (await readdir(home, { recursive: true })).filter((name) => name.endsWith('authorized_keys'))

describe('gpuq sync', () => {
  it('brings files back below the current directory, and prints the directory first', async () => {
    work('project')
    const context = serverOf(join(home, 'project', 'out'))
    expect(await sync(context, jobId, { quiet: true })).toBe(0)
    expect(await written()).toEqual(['project/out/authorized_keys'])
    expect(context.written.err.split('\n')[0]).toBe(
      `gpuq: The files of the job return to ${join(home, 'project', 'out')}`,
    )
  })

  it.each([
    ['the parent directory', ['project'], ['elsewhere'], 'is not below the current directory'],
    ['a hidden directory below the home directory', [], ['.ssh'], 'may have private files'],
    ['the home directory', [], [], 'may have private files'],
    ['a directory that does not exist', ['project'], ['project', 'new'], 'does not exist'],
  ])('writes nothing where a hostile server names %s', async (_, current, named, message) => {
    work(...current)
    const context = serverOf(join(home, ...named))
    await expect(sync(context, jobId, {})).rejects.toThrow(message)
    await expect(sync(context, jobId, {})).rejects.toThrow(`gpuq sync ${jobId} --into DIR`)
    expect(await written()).toEqual([])
  })

  it('writes nothing where a link below the current directory leads elsewhere', async () => {
    work('project')
    await symlink(join(home, '.ssh'), join(home, 'project', 'link'))
    await expect(sync(serverOf(join(home, 'project', 'link')), jobId, {})).rejects.toThrow('is not below')
    expect(await written()).toEqual([])
  })

  it('does not trust a directory that an earlier version stored for a job', async () => {
    work('project')
    const context = serverOf(join(home, 'project'))
    const server = 'http://gpuq.test'
    await createState(context.env, newState({ jobId, server, directory: join(home, '.ssh'), shipped: {} }))
    await expect(sync(context, jobId, {})).rejects.toThrow('is not below')
    expect(await written()).toEqual([])
  })

  it('does not continue with what it knows of a job of another server', async () => {
    work('project')
    const context = serverOf(join(home, 'project', 'out'))
    const directory = join(home, 'elsewhere')
    await createState(context.env, newState({ jobId, server: 'http://other', directory, shipped: {} }))
    await sync(context, jobId, {})
    expect(await written()).toEqual(['project/out/authorized_keys'])
  })

  it('keeps what it knows of the working directory while files return to another one, and says how to continue', async () => {
    work('project')
    const [directory, into] = [join(home, 'project'), join(home, 'new place')]
    const path = join(directory, 'authorized_keys')
    await writeFile(path, 'sent')
    const shipped = { authorized_keys: createHash('sha256').update('sent').digest('hex') }
    const server = 'http://gpuq.test'
    const context = serverOf(directory, 'ada', false)
    await createState(context.env, newState({ jobId, server, directory, shipped }))
    context.interrupted = () => AbortSignal.abort()
    for (let round = 0; round < 2; round++) await sync(context, jobId, { into, quiet: true })
    expect(context.written.err).toContain(`back with \`gpuq sync ${jobId} --into '${into}'\`.`)
    expect(await readStates(context.env)).toMatchObject([{ directory, shipped }])
    const last = serverOf(directory)
    expect(await sync(last, jobId, { quiet: true })).toBe(0)
    expect(await readFile(path, 'utf8')).toBe(content)
    expect(await readdir(directory)).toEqual(['authorized_keys', 'out'])
    expect(await sync(last, jobId, { into, quiet: true })).toBe(0)
    expect(await readdir(join(root, 'cache', 'gpuq', 'sync'))).toEqual([])
  })

  it('continues in the working directory if --into names it', async () => {
    work('elsewhere')
    const directory = join(home, 'project')
    await writeFile(join(directory, 'authorized_keys'), 'sent')
    const shipped = { authorized_keys: createHash('sha256').update('sent').digest('hex') }
    const context = serverOf(directory)
    await createState(context.env, newState({ jobId, server: 'http://gpuq.test', directory, shipped }))
    expect(await sync(context, jobId, { into: directory, quiet: true })).toBe(0)
    expect(await readdir(directory)).toEqual(['authorized_keys', 'out'])
    expect(await readStates(context.env)).toEqual([])
  })

  it.each([undefined, 'new/place'])(
    'brings no files of a job of another user, also with --into %s',
    async (name) => {
      work('project')
      const into = name && join(home, name)
      await expect(sync(serverOf(join(home, 'project'), 'eve'), jobId, { into })).rejects.toThrow(
        'belongs to another user',
      )
      expect(await written()).toEqual([])
    },
  )

  it('brings files to the directory that --into names, whatever the server says', async () => {
    work('project')
    const into = join(home, 'new', 'place')
    expect(await sync(serverOf(join(home, '.ssh')), jobId, { into })).toBe(0)
    expect(await written()).toEqual(['new/place/authorized_keys'])
    expect(await readFile(join(into, 'authorized_keys'), 'utf8')).toBe(content)
  })
})
