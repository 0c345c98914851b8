import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, makeToken, type Person } from '../../access/testing/people'
import { buildTar, buildZip } from '../../archives/unpack/testing/build-archive'
import { makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from '../jobs/jobs'
import { submissionRoutes } from './submission'

const dataDir = vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_DATA_DIR', `/tmp/gpuq-submit-${process.pid}-${Math.random().toString(36).slice(2)}`)
  vi.stubEnv('GPUQ_MIN_FREE_GIB', '0')
  return process.env.GPUQ_DATA_DIR ?? ''
})
const db = testDatabase()
afterAll(() => rm(dataDir, { recursive: true }))

let ada = {} as Person
beforeAll(async () => {
  ada = await makePerson()
  await db.pool.query('UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000')
  // The first job creates an environment.
  await makeJob()
})

type Part = [name: 'archive' | 'files' | 'code', content: Buffer | string, filename: string]

async function submit(parts: Part[], config = '', headers: Record<string, string> | null = null) {
  const form = new FormData()
  for (const [name, content, filename] of parts)
    form.append(name, new Blob([new Uint8Array(Buffer.from(content))]), filename)
  const text = `competition_id: c\nproject_id: p\nexpected_time: 10\n${config}`
  // After the files: their order in the upload does not matter.
  form.append('config_file', new Blob([text]), 'config.yaml')
  const request = new Request('http://localhost:8001/api/submit?wait=false', {
    method: 'POST',
    headers: headers ?? { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' },
    body: form,
  })
  const response = await submissionRoutes.submit(request, { params: Promise.resolve({}) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

async function jobOf({ body }: Awaited<ReturnType<typeof submit>>) {
  const { rows } = await db.pool.query(
    `SELECT encode(a.hash, 'hex') AS hash, a.files, a.bytes::int AS bytes, j.spec, j.command, c.content AS code, j.archive_id
       FROM jobs j LEFT JOIN programs c ON c.hash = j.program_hash LEFT JOIN archives a ON a.id = j.archive_id WHERE j.id = $1`,
    [body.job_id],
  )
  return rows[0]
}

const files = [
  { name: 'main.py', content: 'import model' },
  { name: 'model.py', content: 'print(1)' },
  { name: 'data/big.bin', content: Buffer.alloc(700_000, 3) },
]

describe('an uploaded archive', () => {
  it('an uploaded archive with empty directories is accepted, and the answer says that they are not sent', async () => {
    const archive = buildZip([...files, { name: 'out/', mode: 0o040_755 }])
    const { status, body } = await submit([['archive', archive, 'project.zip']])
    expect([status, body.not_sent]).toEqual([202, 'Not sent: 1 empty directory: out/.'])
    expect((await submit([['archive', buildZip(files), 'project.zip']])).body).not.toHaveProperty('not_sent')
  })

  it('becomes the directory of the job, and is stored once as zip, tar.gz or single files', async () => {
    const first = await submit([['archive', buildZip(files), 'project.zip']])
    expect(first).toMatchObject({ status: 202, body: { status: 'pending' } })
    const job = await jobOf(first)
    expect(job).toMatchObject({ files: 3, bytes: 700_020, command: null, code: null })
    expect(job.spec).toMatchObject({ archive: job.hash, entrypoint: 'main.py' })

    const packed = await buildTar(files, { gzip: true })
    const asTar = await submit([['archive', packed, 'project.tgz']])
    const single = files.map(({ name, content }): Part => ['files', content, name])
    const asFiles = await submit(single)
    for (const again of [asTar, asFiles])
      expect(await jobOf(again)).toMatchObject({ hash: job.hash, archive_id: job.archive_id })
    const { rows } = await db.pool.query('SELECT count(*)::int AS archives FROM archives')
    expect(rows).toEqual([{ archives: 1 }])
    const stored = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    expect(stored.filter((entry) => entry.isFile())).toHaveLength(3)
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([])
  })

  it('an uploaded archive of one folder is the project in it, with the names that its maker wrote', async () => {
    const packed = buildZip([
      { name: 'project/', mode: 0o040_755 },
      { name: 'project/main.py', content: 'print(2)' },
      { name: '', rawName: Buffer.from('project/übung.csv'), content: '1' },
      { name: 'project/README', content: '2' },
      { name: 'project/readme', content: '3' },
      { name: '__MACOSX/project/._main.py', content: 'Mac OS X' },
    ])
    const answer = await submit([['archive', packed, 'download.zip']])
    const { spec, archive_id: archiveId } = await jobOf(answer)
    expect(spec).toMatchObject({ entrypoint: 'main.py' })
    const { rows } = await db.pool.query(
      `SELECT e->>'path' AS path FROM archives a, jsonb_array_elements(a.manifest->'entries') e WHERE a.id = $1`,
      [archiveId],
    )
    expect(rows.map(({ path }) => path)).toEqual(['README', 'main.py', 'readme', 'übung.csv'])
    const named = await jobOf(await submit([['archive', packed, 'a.zip']], 'entrypoint: project/main.py'))
    expect(named.spec).toMatchObject({ entrypoint: 'project/main.py' })
  })

  it('an uploaded archive with code has solution.py from the upload', async () => {
    const job = await jobOf(
      await submit([
        ['code', 'print(2)', 'solution.py'],
        ['archive', buildZip(files), 'project.zip'],
      ]),
    )
    expect(job).toMatchObject({ files: 3, code: Buffer.from('print(2)') })
    expect(job.spec).not.toHaveProperty('entrypoint')
  })

  it('an uploaded archive with an idempotency key is one job for the same files, and no other', async () => {
    const headers = { cookie: ada.cookie, 'sec-fetch-site': 'same-origin', 'idempotency-key': 'once' }
    const first = await submit([['archive', buildZip(files), 'a.zip']], '', headers)
    const repeated = await submit([['archive', await buildTar(files), 'b.tar']], '', headers)
    expect(repeated.body.job_id).toBe(first.body.job_id)
    const other = buildZip([...files, { name: 'more.py', content: 'x' }])
    expect((await submit([['archive', other, 'a.zip']], '', headers)).status).toBe(422)
  })

  it('is refused by name, without a job or a project', async () => {
    const evil = buildZip([...files, { name: '../../evil.py', content: 'x' }])
    const { status, body } = await submit([['archive', evil, 'evil.zip']], 'name: evil')
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [{ path: 'archive', message: '"../../evil.py" holds ".."' }],
    })
    const { rows } = await db.pool.query(`SELECT 1 FROM jobs WHERE name = 'evil'`)
    expect(rows).toEqual([])
  })

  it('needs a token in the headers, because its sender must be known before it is written', async () => {
    const { token } = await makeToken(ada, ['submit'])
    const zip: Part = ['archive', buildZip(files), 'project.zip']
    const inConfig = await submit([zip], `token: ${token}`, {})
    expect(inConfig).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('Authorization') },
    })
    expect(await submit([zip], '', { authorization: `Bearer ${token}` })).toMatchObject({ status: 202 })
  })

  it('an uploaded archive and a hash in the config are two directories', async () => {
    const { status, body } = await submit(
      [['archive', buildZip(files), 'project.zip']],
      `archive: ${'a'.repeat(64)}`,
    )
    expect(status).toBe(422)
    expect(body.errors).toMatchObject([{ path: 'archive' }])
  })

  it('cannot be two archives, or an archive and files', async () => {
    const zip = buildZip(files)
    for (const second of ['archive', 'files'] as const) {
      const { status, body } = await submit([
        ['archive', zip, 'a.zip'],
        [second, zip, 'b.zip'],
      ])
      expect(status).toBe(422)
      expect(body.detail).toContain('"b.zip" comes in addition to an archive')
    }
  })
})

describe('the files of a job', () => {
  const list = (id: unknown, who: Person) =>
    call(jobRoutes.files, '/x', { params: { id: String(id) }, cookie: who.cookie })
  const read = (id: unknown, path: string, who: Person) =>
    jobRoutes.fileContent(
      new Request(`http://localhost:8001/x?path=${encodeURIComponent(path)}`, {
        headers: { cookie: who.cookie },
      }),
      { params: Promise.resolve({ id: String(id) }) },
    )

  it('are listed, and downloaded one by one, by its owner only', async () => {
    const link = { name: 'latest', content: 'main.py', mode: 0o120_777 }
    const { body } = await submit([['archive', buildZip([...files, link]), 'project.zip']])
    expect((await list(body.job_id, ada)).body).toEqual({
      files: [
        { path: 'data/big.bin', bytes: 700_000, target: null },
        { path: 'latest', bytes: 0, target: 'main.py' },
        { path: 'main.py', bytes: 12, target: null },
        { path: 'model.py', bytes: 8, target: null },
      ],
    })
    const file = await read(body.job_id, 'main.py', ada)
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="main.py"')
    expect(file.headers.get('content-security-policy')).toBe('sandbox')
    expect(await file.text()).toBe('import model')
    for (const path of ['latest', 'other.py', '../main.py', ''])
      expect((await read(body.job_id, path, ada)).status).toBe(404)
    const bob = await makePerson()
    expect((await list(body.job_id, bob)).status).toBe(404)
    expect((await read(body.job_id, 'main.py', bob)).status).toBe(404)
  })

  it('are none without a directory, and null after it was deleted', async () => {
    const plain = await submit([['code', 'print(1)', 'solution.py']])
    expect((await list(plain.body.job_id, ada)).body).toEqual({ files: [] })
    const { body } = await submit([['archive', buildZip([{ name: 'run.sh', content: 'gone' }]), 'a.zip']])
    await db.pool.query('UPDATE jobs SET archive_id = NULL WHERE id = $1', [body.job_id])
    expect((await list(body.job_id, ada)).body).toEqual({ files: null })
    expect((await read(body.job_id, 'run.sh', ada)).status).toBe(404)
  })
})

describe('the entrypoint', () => {
  const zipOf = (...names: string[]): Part => [
    'archive',
    buildZip(names.map((name) => ({ name, content: name }))),
    'project.zip',
  ]
  const entrypointOf = async (part: Part, config = '') =>
    (await jobOf(await submit([part], config))).spec.entrypoint

  it('is solution.py, then main.py, then run.sh', async () => {
    expect(await entrypointOf(zipOf('run.sh', 'main.py', 'solution.py'))).toBe('solution.py')
    expect(await entrypointOf(zipOf('run.sh', 'main.py'))).toBe('main.py')
    expect(await entrypointOf(zipOf('run.sh', 'src/main.py'))).toBe('run.sh')
  })

  it('is any .py or .sh file that the config names', async () => {
    expect(await entrypointOf(zipOf('main.py', 'src/train.py'), 'entrypoint: src/train.py')).toBe(
      'src/train.py',
    )
    const code: Part = ['code', 'x = 1', 'solution.py']
    const job = await jobOf(await submit([code, zipOf('evaluate.py')], 'entrypoint: evaluate.py'))
    expect(job.spec.entrypoint).toBe('evaluate.py')
  })

  it('the entrypoint that does not exist is an error that lists what was found', async () => {
    const none = await submit([zipOf('src/train.py', 'data.csv', 'go.sh')])
    expect(none.status).toBe(422)
    expect(none.body.detail).toBe(
      'entrypoint: the directory has no solution.py, main.py, run.sh: name the file to run, or use the key command. It has go.sh, src/train.py and 1 more files.',
    )
    const missing = await submit([zipOf('main.py')], 'entrypoint: train.py')
    expect(missing.body.detail).toContain('the directory does not have train.py. It has main.py')
  })

  it('the entrypoint of another type, outside of the directory, without one, or beside a command is refused', async () => {
    for (const [config, message] of [
      ['entrypoint: train.jl', /use the key command/],
      ['entrypoint: ../train.py', /holds "\.\."/],
      ['entrypoint: main.py\ncommand: "true"', /remove one of the two keys/],
    ] as const) {
      const { status, body } = await submit([zipOf('main.py')], config)
      expect(status).toBe(422)
      expect(body.detail).toMatch(message)
    }
    const code: Part = ['code', 'print(1)', 'solution.py']
    const { body } = await submit([code], 'entrypoint: main.py')
    expect(body.detail).toContain('the job has no directory')
    expect((await submit([code], 'entrypoint: solution.py')).status).toBe(202)
  })

  it('is not needed for a command', async () => {
    const job = await jobOf(await submit([zipOf('a.txt')], 'command: cat a.txt'))
    expect(job).toMatchObject({ command: 'cat a.txt', files: 1 })
  })
})
