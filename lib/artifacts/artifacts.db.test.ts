import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '../access/testing/people'
import { makeJob } from '../cluster/testing/rows'
import { testDatabase } from '../database/testing/test-database'
import { deleteOldFiles } from '../jobs/lifecycle/retention'
import { findVisibleJob, type VisibleJob } from '../jobs/read/job-visibility'
import { readJobDetail } from '../jobs/read/read'
import { artifactKey } from '../results/name'
import { storeResult } from '../results/result-files'
import { diskStore } from '../storage/disk'
import { setStorage } from '../storage/storage'
import { parts } from '../storage/testing/contract'
import { listArtifacts } from './artifacts'
import { createLink } from './download-links'
import { previewArtifact } from './preview-artifact'
import { artifactRoutes } from './routes'

const db = testDatabase()
let root: string
let ada: Person
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-artifacts-'))
  setStorage(diskStore(root))
  ada = await makePerson()
})
afterAll(() => rm(root, { recursive: true }))

/** A completed job of Ada with artifacts. */
async function jobWith(files: Record<string, string | Buffer>, endedDaysAgo = 0): Promise<VisibleJob> {
  const id = await makeJob({ userId: ada.id })
  await db.pool.query(
    `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, attempt = 1, started_at = now(),
            ended_at = now() - make_interval(days => $2) WHERE id = $1`,
    [id, endedDaysAgo],
  )
  for (const [path, content] of Object.entries(files)) {
    const artifact = uuidv7()
    const key = artifactKey({ jobId: id, attempt: 1, rank: 0 }, artifact)
    const stored = await diskStore(root).write(key, parts(content))
    await db.pool.query(
      'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 1, 0, $3, $4, $5)',
      [artifact, id, path, stored.bytes, stored.sha256],
    )
  }
  await storeResult(id)
  return findVisibleJob(ada.actor, id)
}

const params = (of: Record<string, string>) => ({ params: Promise.resolve(of) })
const asAda = () => ({ headers: { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' } })
const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail
const follow = (url: string) => artifactRoutes.followLink(new Request(url), params({}))

/** The beginning of a PNG image that claims this size. */
const pngHeader = (width: number, height: number) => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${size.toString('latin1')}`
}
const gifFrame = '\x01\x00\x01\x00\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0'
const avifSize = '\0\0\0\x14ispe\0\0\0\0\0\0\0\x01\0\0\0\x01'

describe('artifacts', () => {
  it('are listed by path, displayed only if that is safe, and saved under a safe name', async () => {
    const png = Buffer.from(`${pngHeader(1, 1)}<script>`, 'latin1')
    const job = await jobWith({
      'b/plot.html': png,
      'a.txt': 'žluť <script>\n',
      '\u202egpj.exe\n': Buffer.from([0, 1, 2]),
      'big.txt': 'x'.repeat(100_000),
    })
    const { artifacts } = await listArtifacts(job)
    expect(artifacts.map(({ path }) => path)).toEqual(['a.txt', 'b/plot.html', 'big.txt', '\u202egpj.exe\n'])
    const [text, image, big, odd] = artifacts.map(({ artifact_id }) => artifact_id)
    if (!text || !image || !big || !odd) throw new Error('four files were left')
    expect(await previewArtifact(job, text)).toEqual({
      kind: 'text',
      text: 'žluť <script>\n',
      truncated: false,
    })
    expect(await previewArtifact(job, big)).toMatchObject({ truncated: true, text: 'x'.repeat(65_536) })
    expect(await previewArtifact(job, image)).toEqual({ kind: 'image' })
    expect(await previewArtifact(job, odd)).toMatchObject({ kind: 'none' })

    const get = (artifactId: string, query = '') => {
      const request = new Request(`http://localhost:8001/api/x${query}`, asAda())
      return artifactRoutes.artifact(request, params({ id: job.id, artifactId }))
    }
    for (const [id, query, type] of [
      [image, '', 'application/octet-stream'],
      [image, '?as=image', 'image/png'],
      [odd, '', 'application/octet-stream'],
    ] as const) {
      const { headers } = await get(id, query)
      expect(headers.get('content-type')).toBe(type)
      expect(headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\w.-]+"(; filename\*=UTF-8''[\w.%-]+)?$/,
      )
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe('sandbox')
    }
    expect(Buffer.from(await (await get(image)).arrayBuffer())).toEqual(png)
    expect((await get(text, '?as=image')).status).toBe(409)
    expect((await get(uuidv7())).status).toBe(404)
    const other = await jobWith({ x: 'x' })
    const foreign = await artifactRoutes.artifact(
      new Request('http://localhost:8001/api/x', asAda()),
      params({ id: other.id, artifactId: text }),
    )
    expect(foreign.status).toBe(404)
  })

  it.each([
    ['image/gif', `GIF89a${gifFrame}`],
    ['image/gif', `GIF87a${gifFrame}`],
    ['image/webp', 'RIFF\x24\n\x00\x00WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x01\0\x01\0'],
    ['image/avif', `\x00\x00\x00\x1cftypavif\x00\x00${avifSize}`],
    ['image/avif', `\x00\x00\x00\x1cftypavis\x00\x00${avifSize}`],
    [null, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    [null, 'RIFF\x24\x00\x00\x00WAVEfmt '],
    [null, '\x00\x00\x00\x1cftypmp42\x00\x00'],
  ])('show the type %s to a page for %j', async (type, content) => {
    const job = await jobWith({ file: Buffer.from(content, 'latin1') })
    const id = (await listArtifacts(job)).artifacts[0]?.artifact_id ?? ''
    expect((await previewArtifact(job, id)).kind === 'image').toBe(type !== null)
    const request = new Request('http://localhost:8001/api/x?as=image', asAda())
    const response = await artifactRoutes.artifact(request, params({ id: job.id, artifactId: id }))
    expect(response.status === 200 ? response.headers.get('content-type') : null).toBe(type)
    await response.body?.cancel()
  })

  it('are not shown if they claim too many pixels, and can be downloaded', async () => {
    const job = await jobWith({ 'bomb.png': Buffer.from(`${pngHeader(60_000, 60_000)}x`, 'latin1') })
    const id = (await listArtifacts(job)).artifacts[0]?.artifact_id ?? ''
    const why =
      'The image has 60,000 × 60,000 pixels. An image of at most 50 megapixels is shown here. Download it instead.'
    expect(await previewArtifact(job, id)).toEqual({ kind: 'none', why })
    const get = (query: string) =>
      artifactRoutes.artifact(
        new Request(`http://localhost:8001/api/x${query}`, asAda()),
        params({ id: job.id, artifactId: id }),
      )
    const refused = await get('?as=image')
    expect([refused.status, await detailOf(refused)]).toEqual([409, why])
    const saved = await get('')
    expect(saved.status).toBe(200)
    await saved.body?.cancel()
  })

  it('artifacts that are images have their size behind a profile of some hundred kilobytes', async () => {
    const segment = (marker: number, content: Buffer) => {
      const head = Buffer.from([0xff, marker, 0, 0])
      head.writeUInt16BE(content.length + 2, 2)
      return Buffer.concat([head, content])
    }
    const profile = Array.from({ length: 8 }, () => segment(0xe2, Buffer.alloc(60_000)))
    const frame = segment(0xc0, Buffer.from([8, 0, 2, 0, 3, 3]))
    const job = await jobWith({ 'photo.jpg': Buffer.concat([Buffer.from([0xff, 0xd8]), ...profile, frame]) })
    const id = (await listArtifacts(job)).artifacts[0]?.artifact_id ?? ''
    expect(await previewArtifact(job, id)).toEqual({ kind: 'image' })
  })

  it('download as one archive that tar reads, with no path outside of it', async () => {
    const long = `${'deep/'.repeat(60)}${'n'.repeat(100)}`
    const written = ['epoch:3.ckpt', 'A.txt', 'a.txt', 'what?']
    const job = await jobWith({
      'a/ž.txt': 'one',
      [long]: 'two',
      'x\ny': 'three',
      x_y: 'four',
      empty: '',
      'C:/drive': 'five',
      ...Object.fromEntries(written.map((name) => [name, name])),
    })
    const response = await artifactRoutes.artifactArchive(
      new Request('http://localhost:8001/api/x', asAda()),
      params({ id: job.id }),
    )
    const file = join(root, 'all.tar')
    await writeFile(file, Buffer.from(await response.arrayBuffer()))
    const into = await mkdtemp(join(root, 'out-'))
    execFileSync('tar', ['-xf', file, '-C', into])
    const names = (await readdir(into, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    )
    expect(names.map(({ name }) => name).sort()).toEqual(
      [...written, 'drive', 'empty', 'n'.repeat(100), 'x_y', 'x_y-2', 'ž.txt'].sort(),
    )
    expect(await readFile(join(into, 'a/ž.txt'), 'utf8')).toBe('one')
    expect(await readFile(join(into, 'x_y'), 'utf8')).toBe('four')
    expect(await readFile(join(into, 'C_/drive'), 'utf8')).toBe('five')
  })
})

describe('retention', () => {
  it('deletes the files of old jobs of its project and reports it, once, also if repeated', async () => {
    const [old, young] = [await jobWith({ a: 'a', 'b/c': 'c' }, 8), await jobWith({ a: 'a' }, 6)]
    const orphan = artifactKey({ jobId: old.id, attempt: 1, rank: 0 }, 'never-recorded')
    await diskStore(root).write(orphan, parts('x'))
    await deleteOldFiles()
    expect((await listArtifacts(old)).artifacts).toHaveLength(2)

    await db.pool.query('UPDATE projects SET retention_days = 7 WHERE owner_id = $1', [ada.id])
    await deleteOldFiles()
    await deleteOldFiles()
    const swept = await findVisibleJob(ada.actor, old.id)
    expect(await listArtifacts(swept)).toEqual({
      artifacts: [],
      files_deleted: 'retention',
      deleted_after_days: 7,
    })
    expect(await readJobDetail(old.id)).toMatchObject({ deleted_after_days: 7, result_file: null })
    expect(await readdir(join(root, 'artifacts'))).not.toContain(old.id)
    expect((await readdir(join(root, 'results'))).length).toBeGreaterThan(0)
    expect((await listArtifacts(young)).artifacts).toHaveLength(1)
    const link = await createLink(ada.actor, old, { file: 'result', expires_in: 60 })
    const gone = await follow(link.url)
    expect(gone.status).toBe(404)
    expect(await detailOf(gone)).toMatch(/deleted after 7 days/)
    await db.pool.query('UPDATE projects SET retention_days = NULL')
  })
})
