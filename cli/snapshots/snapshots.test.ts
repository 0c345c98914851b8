import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import tar, { type Header } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { noJobLimits } from '@/lib/contract/access/limits'
import { run } from '../commands/run/run'
import { submit } from '../commands/submit'
import { emptyUse, fakeContext, idOf, jobId } from '../testing/fake-context'
import { deleteSnapshots, shareSnapshot, unshareSnapshot } from './change-snapshots'
import { push } from './push'
import { compareSnapshots, downloadSnapshot, listSnapshots } from './snapshots'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-cli-snapshots-'))
})
afterEach(() => rm(directory, { recursive: true }))

const projectKey = idOf(100)

const snapshot = (changes: object = {}) => ({
  id: idOf(2),
  name: 'code',
  version: 2,
  project_id: 'p',
  own: true,
  archive: 'ab'.repeat(32),
  files: 2,
  bytes: 5,
  created_by: 'ada',
  created_by_name: null,
  created_at: '2026-01-01T00:00:00Z',
  shared_at: null,
  ...changes,
})
const older = snapshot({ id: idOf(1), version: 1, bytes: 3 })

const project = (id: string, owner: string, means = true) => ({
  id,
  means,
  project_id: 'p',
  name: null,
  owner,
  members: [],
  names: {},
  invited: [],
  limits: { submissions_per_minute: null, max_active_jobs: null, ...noJobLimits },
  shares: { weight: 1, gpu_quota: null, gpu_hour_budget: null },
  bucket: null,
  retention_days: null,
  share_runs: false,
  old_shared_runs: [],
  default_retention_days: 90,
  storage: emptyUse,
  gpu_hours_used: 0,
  created_at: '2026-01-01T00:00:00Z',
})

type Answers = Record<string, (request: Request, url: URL) => Response | Promise<Response>>

/** A server with the project `p`, and what it was asked. */
function server(answers: Answers, projects = [project(projectKey, 'ada')]) {
  const asked: string[] = []
  const context = fakeContext(async (request) => {
    const url = new URL(request.url)
    const route = `${request.method} ${url.pathname}`
    asked.push(`${route}${url.search}`)
    if (route === 'GET /api/projects') return Response.json(projects)
    const answer = answers[route]
    if (!answer) throw new Error(`no answer for ${route}`)
    return answer(request, url)
  })
  return { context, asked }
}

const versionsOf =
  (...found: ReturnType<typeof snapshot>[]) =>
  (_: Request, { searchParams }: URL) => {
    const version = searchParams.get('version')
    return Response.json(found.filter((one) => version === null || String(one.version) === version))
  }

describe('gpuq push', () => {
  const archive = 'cd'.repeat(32)
  const pushing = (created: boolean, isNew = false) => {
    const bodies: unknown[] = []
    const projects = isNew ? [] : [project(projectKey, 'ada')]
    const answers: Answers = {
      'GET /api/archives': () => Response.json({ max_bytes: 1000, max_entries: 10 }),
      'POST /api/archives': () => {
        if (isNew) projects.push(project(projectKey, 'ada'))
        return Response.json({ archive, missing: [] })
      },
      [`POST /api/projects/${projectKey}/snapshots`]: async (request) => {
        bodies.push(await request.json())
        return Response.json({ ...snapshot(), created }, { status: created ? 201 : 200 })
      },
    }
    const { context, asked } = server(answers, projects)
    context.env = { ...context.env, XDG_CACHE_HOME: directory }
    return { context, bodies, asked }
  }
  const shipped = async () => {
    const path = join(directory, 'shipped')
    await mkdir(path)
    await writeFile(join(path, 'main.py'), 'print(1)')
    return path
  }

  it('uploads the directory, names it and prints the version', async () => {
    const { context, bodies } = pushing(true)
    expect(await push(context, await shipped(), { name: 'code', project: 'p' })).toBe(0)
    expect(bodies).toEqual([{ name: 'code', archive }])
    expect(context.written.out).toBe('code@2\n')
    expect(context.written.err).not.toContain('no new version')
  })

  it.each([
    ['once if it exists', false, 1],
    ['again if the upload created it', true, 2],
  ])('finds the project %s', async (_, isNew, times) => {
    const { context, asked } = pushing(true, isNew)
    expect(await push(context, await shipped(), { name: 'code', project: 'p' })).toBe(0)
    expect(asked.filter((route) => route.startsWith('GET /api/projects'))).toHaveLength(times)
  })

  it('says that the same content makes no new version', async () => {
    const { context } = pushing(false)
    await push(context, await shipped(), { name: 'code', project: 'p' })
    expect(context.written.out).toBe('code@2\n')
    expect(context.written.err).toContain('code@2 has the same content: no new version')
  })

  it('says who gives the right to push, before the upload', async () => {
    const reading = { ...project(projectKey, 'ada'), managers: ['grace'], may_push: false }
    const { context, asked } = server({}, [reading])
    await expect(push(context, directory, { name: 'code', project: 'p' })).rejects.toThrow(
      'Ask "ada" or "grace" for the right',
    )
    expect(asked).toEqual([expect.stringContaining('GET /api/projects?')])
  })

  it.each([
    [{ name: 'Code', project: 'p' }, '--name Code: must begin with a lower-case letter'],
    [{ name: 'code@3', project: 'p' }, 'gpuq chooses the version'],
    [{ name: 'code', project: 'bob/p' }, 'leave out its owner'],
  ])('refuses %j before the upload', async (options, message) => {
    const { context, asked } = server({})
    await expect(push(context, directory, options)).rejects.toThrow(message)
    expect(asked).toEqual([])
  })
})

describe('gpuq snapshots', () => {
  it('lists names, with those of other projects', async () => {
    const shared = snapshot({ name: 'data/x', own: false, project_id: 'lab', created_by: null })
    const { context } = server({
      [`GET /api/projects/${projectKey}/snapshots`]: () =>
        Response.json([
          { ...snapshot({ shared_at: '2026-01-02T00:00:00Z' }), versions: 2 },
          { ...shared, versions: 1 },
        ]),
    })
    expect(await listSnapshots(context, undefined, { project: 'p', limit: 10 })).toBe(0)
    expect(context.written.out).toMatch(/code@2 .* 5 B .* ada .* with everyone/)
    expect(context.written.out).toMatch(/data\/x@2 .* by lab/)
  })

  it('lists the versions of a name, and says how to make the first snapshot', async () => {
    const { context, asked } = server({
      [`GET /api/projects/${projectKey}/snapshots/versions`]: versionsOf(snapshot(), older),
      [`GET /api/projects/${projectKey}/snapshots`]: () => Response.json([]),
    })
    await listSnapshots(context, 'code', { project: 'p', limit: 10 })
    expect(context.written.out).toMatch(/code@2.*\n.*code@1/)
    expect(asked.at(-1)).toContain('name=code')
    await listSnapshots(context, undefined, { project: 'p', limit: 10 })
    expect(context.written.err).toContain('gpuq push DIR --name code --project p')
    await expect(listSnapshots(context, 'Code', { project: 'p', limit: 10 })).rejects.toThrow(
      '"Code" is not the name of a snapshot: it must begin',
    )
  })

  it('takes the project that the name means, or that of an owner', async () => {
    const projects = [
      project(idOf(1), 'carol', false),
      project(idOf(2), 'ada'),
      project(idOf(3), 'bob', false),
    ]
    const listOf = async (given: string, found: ReturnType<typeof project>[]) => {
      const lists = [1, 2, 3]
        .map(idOf)
        .map((id) => [`GET /api/projects/${id}/snapshots`, () => Response.json([])])
      const { context, asked } = server(Object.fromEntries(lists), found)
      await listSnapshots(context, undefined, { project: given, limit: 1 })
      return asked.at(-1)
    }
    expect(await listOf('p', projects)).toContain(`/${idOf(2)}/`)
    expect(await listOf('carol/p', projects)).toContain(`/${idOf(1)}/`)
    await expect(listOf('dave/p', projects)).rejects.toThrow('There is no project "dave/p"')
    await expect(listOf('p', [])).rejects.toThrow('You have no project "p"')
  })
})

describe('gpuq snapshots compare', () => {
  const answers = {
    [`GET /api/projects/${projectKey}/snapshots/versions`]: versionsOf(snapshot(), older),
    [`GET /api/snapshots/${idOf(2)}/changes`]: () =>
      Response.json({
        added: { files: 1, bytes: 4 },
        removed: { files: 1, bytes: 3 },
        changed: { files: 1, bytes: 2048 },
        unchanged: { files: 7, bytes: 70 },
        files: [
          { path: 'new\u001b[2J', change: 'added', bytes_before: null, bytes_after: 4 },
          { path: 'old', change: 'removed', bytes_before: 3, bytes_after: null },
          { path: 'train.py', change: 'changed', bytes_before: 1, bytes_after: 2048 },
        ],
        truncated: false,
      }),
  }

  it('prints files with their sizes, and a summary', async () => {
    const { context, asked } = server(answers)
    expect(await compareSnapshots(context, 'code@1', 'code', { project: 'p' })).toBe(0)
    const { out } = context.written
    expect(out).toMatch(/^\+ new.* {2}4 B\n- old {2}3 B\n~ train\.py {2}1 B → 2\.0 KiB\n/)
    expect(out).toContain(
      'code@1 and code@2: 1 added (4 B), 1 removed (3 B), 1 changed (2.0 KiB), 7 unchanged',
    )
    expect(out).not.toContain('\u001b')
    expect(asked.at(-1)).toContain(`since=${idOf(1)}`)
  })

  it('names a version that does not exist', async () => {
    const { context } = server(answers)
    await expect(compareSnapshots(context, 'code@1', 'code@9', { project: 'p' })).rejects.toThrow(
      'The project has no snapshot code@9.',
    )
  })
})

type TarHeader = Partial<Header> & Pick<Header, 'name'>

describe('gpuq snapshots download', () => {
  async function tarOf(entries: [TarHeader, string?][]): Promise<Response> {
    const pack = tar.pack()
    for (const [header, content = ''] of entries) pack.entry(header, content)
    pack.finalize()
    return new Response(Readable.toWeb(Readable.from(pack)) as ReadableStream)
  }
  const download = (entries: [TarHeader, string?][], changes: object = {}) =>
    server({
      [`GET /api/projects/${projectKey}/snapshots/versions`]: versionsOf(snapshot(changes)),
      [`GET /api/snapshots/${idOf(2)}/files.tar`]: () => tarOf(entries),
    })
  const good: [TarHeader, string?][] = [
    [{ name: 'src/run.sh', mode: 0o755 }, 'hello'],
    [{ name: 'link', type: 'symlink', linkname: 'src/run.sh' }],
  ]

  it('creates a directory with files, modes and links', async () => {
    const { context } = download(good)
    const target = join(directory, 'into', 'code')
    expect(await downloadSnapshot(context, 'code', target, { project: 'p' })).toBe(0)
    expect(await readFile(join(target, 'src/run.sh'), 'utf8')).toBe('hello')
    expect((await stat(join(target, 'src/run.sh'))).mode & 0o100).toBe(0o100)
    expect(await readlink(join(target, 'link'))).toBe('src/run.sh')
    expect(await readdir(join(directory, 'into'))).toEqual(['code'])
    expect(context.written.err).toContain(`Saved code@2 to ${target} (2 files, 5 B).`)
  })

  it('writes one tar file with --output', async () => {
    const { context } = download(good)
    const output = join(directory, 'code.tar')
    await downloadSnapshot(context, 'code@2', undefined, { output, project: 'p' })
    expect((await readFile(output)).subarray(0, 10).toString()).toBe('src/run.sh')
    await expect(downloadSnapshot(context, 'code', 'dir', { output, project: 'p' })).rejects.toThrow(
      'not both',
    )
  })

  it('refuses a directory with files before the download', async () => {
    const { context, asked } = download(good)
    await writeFile(join(directory, 'mine'), '')
    await expect(downloadSnapshot(context, 'code', directory, { project: 'p' })).rejects.toThrow(
      'is not empty',
    )
    expect(asked.filter((one) => one.includes('files.tar'))).toEqual([])
    expect(await readdir(directory)).toEqual(['mine'])
  })

  const refused: [string, [TarHeader, string?][], string | RegExp][] = [
    ['a path that leads out', [[{ name: '../out' }, 'x']], 'cannot be saved'],
    ['many bytes that must not be saved', [[{ name: '../out' }, 'x'.repeat(1e6)]], 'cannot be saved'],
    [
      'a file with the name of another',
      [
        [{ name: 'a' }, 'x'],
        [{ name: 'a' }, 'y'.repeat(4)],
      ],
      'EEXIST',
    ],
    [
      'a link that leads out',
      [[{ name: 'link', type: 'symlink', linkname: '../..' }]],
      'leads out of the directory',
    ],
    ['a device', [[{ name: 'null', type: 'character-device' }]], 'is a character-device'],
    ['fewer bytes than announced', good.slice(1), 'ended early'],
    [
      'a link through a link',
      [
        [{ name: 'd/x', type: 'symlink', linkname: '..' }],
        [{ name: 'd/x/y', type: 'symlink', linkname: '../..' }],
      ],
      'd/x is a link here',
    ],
    [
      'a file through a link',
      [[{ name: 'a', type: 'symlink', linkname: 'b' }], [{ name: 'a/authorized_keys' }, 'x']],
      /EEXIST|is a link here/,
    ],
    ['a hard link', [[{ name: 'a', type: 'link', linkname: '/etc/passwd' }]], 'is a link'],
    ['more bytes than announced', [[{ name: 'a' }, 'xxxxxx']], 'more than the snapshot has'],
    [
      'more files than announced',
      [
        [{ name: 'a' }, 'x'],
        [{ name: 'b' }, 'x'],
        [{ name: 'c' }, 'x'],
      ],
      'more than the snapshot has',
    ],
  ]

  it.each(refused)('leaves nothing behind after %s', async (_, entries, message) => {
    const { context } = download(entries)
    const target = join(directory, 'code')
    await expect(downloadSnapshot(context, 'code', target, { project: 'p' })).rejects.toThrow(message)
    expect(await readdir(directory)).toEqual([])
  })
})

describe('gpuq snapshots delete', () => {
  const deleting = (...found: ReturnType<typeof snapshot>[]) => {
    const gone = () => new Response(null, { status: 204 })
    return server({
      [`GET /api/projects/${projectKey}/snapshots/versions`]: versionsOf(...found),
      [`DELETE /api/snapshots/${idOf(1)}`]: gone,
      [`DELETE /api/projects/${projectKey}/snapshots`]: gone,
    })
  }
  const deletions = (asked: string[]) => asked.filter((one) => one.startsWith('DELETE'))

  it('deletes one version, or all of a name', async () => {
    const { context, asked } = deleting(snapshot(), older)
    expect(await deleteSnapshots(context, ['code@1'], { project: 'p', yes: true })).toBe(0)
    expect(await deleteSnapshots(context, ['code'], { project: 'p', yes: true })).toBe(0)
    expect(deletions(asked)).toEqual([
      `DELETE /api/snapshots/${idOf(1)}`,
      `DELETE /api/projects/${projectKey}/snapshots?name=code`,
    ])
    expect(context.written.err).toBe('Deleted code@1 (3 B).\nDeleted all 2 versions of code.\n')
  })

  it('deletes nothing without a confirmation, an unknown version, or one of another project', async () => {
    const { context, asked } = deleting(snapshot(), older)
    await expect(deleteSnapshots(context, ['code'], { project: 'p' })).rejects.toThrow(
      /all 2 versions of code\n.*Add --yes/,
    )
    await expect(deleteSnapshots(context, ['code@1', 'code@9'], { project: 'p', yes: true })).rejects.toThrow(
      'no snapshot code@9',
    )
    const shared = deleting(snapshot({ own: false }))
    await expect(deleteSnapshots(shared.context, ['code'], { project: 'p', yes: true })).rejects.toThrow(
      'belongs to another project',
    )
    expect(deletions([...asked, ...shared.asked])).toEqual([])
  })
})

it('shares the newest version, and stops sharing all versions of a name', async () => {
  const bodies: unknown[] = []
  const update = async (request: Request) => {
    bodies.push([new URL(request.url).pathname, await request.json()])
    return Response.json(snapshot())
  }
  const at = '2026-01-02T00:00:00Z'
  const found = [snapshot({ shared_at: at }), older, snapshot({ id: idOf(0), version: 3, shared_at: at })]
  const { context } = server({
    [`GET /api/projects/${projectKey}/snapshots/versions`]: versionsOf(...found),
    [`PATCH /api/snapshots/${idOf(2)}`]: update,
    [`PATCH /api/snapshots/${idOf(0)}`]: update,
  })
  expect(await shareSnapshot(context, 'code', { project: 'p' })).toBe(0)
  expect(await unshareSnapshot(context, 'code', { project: 'p' })).toBe(0)
  expect(bodies).toEqual([
    [`/api/snapshots/${idOf(2)}`, { shared: true }],
    [`/api/snapshots/${idOf(2)}`, { shared: false }],
    [`/api/snapshots/${idOf(0)}`, { shared: false }],
  ])
  await expect(unshareSnapshot(context, 'code@1', { project: 'p' })).rejects.toThrow('code@1 is not shared.')
})

describe('--archive', () => {
  it('queues a command in a copy of a snapshot', async () => {
    const bodies: unknown[] = []
    const { context } = server({
      'POST /api/queue/submit': async (request) => {
        bodies.push(await request.json())
        return Response.json(
          { job_id: jobId, run_id: null, status: 'queued', deduplicated: false },
          { status: 201 },
        )
      },
    })
    expect(await run(context, ['python', 'train.py'], { archive: 'code@1', wait: false, quiet: true })).toBe(
      0,
    )
    expect(bodies).toEqual([{ archive: 'code@1', command: 'python train.py' }])
  })

  it('is refused together with an uploaded directory', async () => {
    const { context, asked } = server({})
    for (const options of [{ withDir: true }, { command: 'ls' }]) {
      await expect(run(context, ['ls'], { archive: 'code', ...options })).rejects.toThrow('not both')
    }
    await expect(
      submit(context, 'a.py', undefined, { archive: 'code', withDir: true, wait: true }),
    ).rejects.toThrow('not both')
    expect(asked).toEqual([])
  })
})
