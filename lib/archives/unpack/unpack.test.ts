import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { GpuqError } from '../../contract/errors'
import { DirectoryUpload } from './directory-upload'
import { listEntries } from './store-upload'
import { buildTar, buildZip, type TarEntry, type ZipEntry } from './testing/build-archive'

const dataDir = vi.hoisted(() => {
  // Another file of this process may have read the environment already.
  vi.resetModules()
  vi.stubEnv('GPUQ_DATA_DIR', `/tmp/gpuq-unpack-${process.pid}-${Math.random().toString(36).slice(2)}`)
  vi.stubEnv('GPUQ_MIN_FREE_GIB', '0')
  vi.stubEnv('GPUQ_MAX_ARCHIVE_MIB', '300')
  vi.stubEnv('GPUQ_MAX_ARCHIVE_FILES', '1000')
  vi.stubEnv('GPUQ_MAX_ARCHIVE_DEPTH', '8')
  return process.env.GPUQ_DATA_DIR ?? ''
})
afterAll(async () => {
  await rm(dataDir, { recursive: true })
  vi.unstubAllEnvs()
  vi.resetModules()
})

async function* inPieces(bytes: Buffer, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function withUpload<T>(work: (upload: DirectoryUpload) => Promise<T>): Promise<T> {
  const upload = new DirectoryUpload('user')
  try {
    return await work(upload)
  } finally {
    await upload.close()
  }
}

const list = (archive: Buffer) =>
  withUpload(async (upload) => {
    await upload.add('archive', 'project.zip', inPieces(archive, 64 * 1024))
    return [...(await listEntries(upload, 'archive')).files.values()]
  })

async function refusalOf(work: Promise<unknown>): Promise<GpuqError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof GpuqError) return error
  throw new Error('it was not refused', { cause: error })
}

const zipOf = (...entries: ZipEntry[]) => buildZip([{ name: 'main.py', content: 'print(1)' }, ...entries])
const tarOf = (...entries: TarEntry[]) => buildTar([{ name: 'main.py', content: 'print(1)' }, ...entries])
const [file, link] = [0o100_644, 0o120_777]

describe('an archive', () => {
  it('is read alike as zip, tar and tar.gz, and leaves no file', async () => {
    const zip = buildZip([
      { name: './src/', mode: 0o040_755 },
      { name: './src/model.py', content: 'x = 1\n', mode: file },
      { name: 'run.sh', content: 'echo', mode: 0o100_755 },
      { name: 'latest', content: 'src/model.py', mode: link },
    ])
    const parts: TarEntry[] = [
      { name: './', type: 'directory' },
      { name: './src/', type: 'directory' },
      { name: './src/model.py', content: 'x = 1\n', mode: 0o644 },
      { name: 'run.sh', content: 'echo', mode: 0o755 },
      { name: 'latest', type: 'symlink', linkname: 'src/model.py' },
    ]
    const read = await list(zip)
    expect(read).toEqual([
      { path: 'src/model.py', bytes: 6, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { path: 'run.sh', bytes: 4, sha256: expect.any(String), executable: true },
      { path: 'latest', target: 'src/model.py' },
    ])
    for (const gzip of [false, true]) {
      expect(await list(await buildTar(parts, { gzip }))).toEqual(read)
    }
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([])
  })

  it('accepts backslashes of Windows programs, hard links to earlier files, and directories that are listed twice', async () => {
    expect(await list(zipOf({ name: 'src\\model.py', content: 'x' }))).toMatchObject([
      {},
      { path: 'src/model.py' },
    ])
    const entries = await list(
      await tarOf(
        { name: 'a/', type: 'directory' },
        { name: 'a/', type: 'directory' },
        { name: 'a/copy.py', type: 'link', linkname: 'main.py' },
      ),
    )
    expect(entries[1]).toEqual({ ...entries[0], path: 'a/copy.py' })
  })
})

describe('a zip file is refused with the name of the entry', () => {
  it.each<[string, ZipEntry[], RegExp]>([
    ['a path that leads out', [{ name: '../evil.py' }], /"\.\.\/evil\.py" holds "\.\."/],
    [
      'a path that leads out in the middle',
      [{ name: 'a/../../evil.py' }],
      /"a\/\.\.\/\.\.\/evil\.py" holds "\.\."/,
    ],
    ['an absolute path', [{ name: '/etc/passwd' }], /"\/etc\/passwd" is absolute/],
    ['a backslash that leads out', [{ name: '..\\evil.py' }], /"\.\.\/evil\.py" holds "\.\."/],
    ['a control character', [{ name: 'a\u0007b' }], /"a\\u\{7\}b" holds a control character/],
    [
      'a link that leads out',
      [{ name: 'l', content: '../../etc', mode: link }],
      /"l" is a link that leads out/,
    ],
    [
      'an absolute link',
      [{ name: 'l', content: '/etc/passwd', mode: link }],
      /"l" is a link that leads to an absolute path/,
    ],
    [
      'a link with a huge target',
      [{ name: 'l', content: 'a'.repeat(5000), mode: link }],
      /"l" is a link with a target that is too long/,
    ],
    ['a device', [{ name: 'dev/null', mode: 0o020_666 }], /"dev\/null" is a device or a socket/],
    ['a FIFO', [{ name: 'pipe', mode: 0o010_644 }], /"pipe" is a FIFO/],
    ['a name that comes twice', [{ name: 'main.py', content: 'other' }], /"main\.py" appears twice/],
    ['a file below a file', [{ name: 'main.py/x' }], /"main\.py\/x" is below a path that is not a directory/],
    [
      'a file below a link',
      [{ name: 'l', content: 'src', mode: link }, { name: 'l/x' }],
      /"l\/x" is below a path that is not/,
    ],
    [
      'an encrypted file',
      [{ name: 'secret.py', content: 'x', encrypted: true }],
      /"secret\.py" is encrypted/,
    ],
    [
      'another compression',
      [{ name: 'a.py', content: 'x', method: 14 }],
      /"a\.py" has the compression method 14/,
    ],
    ['a wrong checksum', [{ name: 'a.py', content: 'x', saidCrc: 1 }], /checksum of "a\.py" is wrong/],
    [
      'more bytes than it says',
      [{ name: 'a.py', content: 'x'.repeat(5000), saidBytes: 10 }],
      /damaged or incomplete at the entry "a\.py"/,
    ],
    [
      'a path that is too deep',
      [{ name: 'a/b/c/d/e/f/g/h/i.py' }],
      /"a\/b\/c\/d\/e\/f\/g\/h\/i\.py" is deeper than 8 names/,
    ],
  ])('%s', async (_, entries, message) => {
    const refusal = await refusalOf(list(zipOf(...entries)))
    expect(refusal.message).toMatch(message)
    expect(refusal).toMatchObject({ status: 422, errors: [{ path: 'archive' }] })
  })

  it('above the number of entries', async () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => ({ name: `f${index}`, method: 0 }))
    const refusal = await refusalOf(list(buildZip(entries)))
    expect(refusal).toMatchObject({ status: 413, message: expect.stringMatching(/1000 entries.*"f1000"/) })
  })

  it('a zip file is refused with the name of the entry as a zip bomb, by the ratio and by the size', async () => {
    const zeros = Buffer.alloc(100 * 1024 * 1024)
    const bomb = await refusalOf(list(zipOf({ name: 'zeros', content: zeros })))
    expect(bomb).toMatchObject({ status: 413, message: expect.stringMatching(/200 times larger.*"zeros"/) })
    const many = Array.from({ length: 4 }, (_, index) => ({ name: `${index}`, content: zeros, method: 0 }))
    const large = await refusalOf(list(buildZip(many)))
    expect(large).toMatchObject({ status: 413, message: expect.stringContaining('300 MiB at most') })
  })
})

describe('a tar file is refused with the name of the entry', () => {
  it.each<[string, TarEntry[], RegExp]>([
    ['a path that leads out', [{ name: '../evil.py' }], /"\.\.\/evil\.py" holds "\.\."/],
    ['an absolute path', [{ name: '/etc/passwd' }], /"\/etc\/passwd" is absolute/],
    [
      'a link that leads out',
      [{ name: 'l', type: 'symlink', linkname: '../x' }],
      /"l" is a link that leads out/,
    ],
    [
      'an absolute link',
      [{ name: 'l', type: 'symlink', linkname: '/etc' }],
      /"l" is a link that leads to an absolute/,
    ],
    ['a hard link that leads out', [{ name: 'h', type: 'link', linkname: '../x' }], /"\.\.\/x" holds "\.\."/],
    [
      'a hard link to no entry',
      [{ name: 'h', type: 'link', linkname: 'x' }],
      /"h" is a hard link to "x", which is no earlier/,
    ],
    ['a character device', [{ name: 'null', type: 'character-device' }], /"null" is a device/],
    ['a block device', [{ name: 'sda', type: 'block-device' }], /"sda" is a device/],
    ['a FIFO', [{ name: 'pipe', type: 'fifo' }], /"pipe" is a FIFO/],
    ['a name that comes twice', [{ name: './main.py' }], /"main\.py" appears twice/],
    [
      'a file below a link',
      [{ name: 'l', type: 'symlink', linkname: 'src' }, { name: 'l/x' }],
      /"l\/x" is below/,
    ],
  ])('%s', async (_, entries, message) => {
    const refusal = await refusalOf(list(await tarOf(...entries)))
    expect(refusal.message).toMatch(message)
    expect(refusal.status).toBe(422)
  })

  it('a tar file is refused with the name of the entry as a bomb of zeros', async () => {
    const zeros = Buffer.alloc(100 * 1024 * 1024)
    const bomb = await refusalOf(list(await buildTar([{ name: 'zeros', content: zeros }], { gzip: true })))
    expect(bomb).toMatchObject({ status: 413, message: expect.stringMatching(/200 times larger.*"zeros"/) })
  })

  it('a tar file is refused with the name of the entry with headers that would fill the memory', async () => {
    // Zeros are no header, but they never end.
    const padded = Buffer.concat([await tarOf(), Buffer.alloc(64 * 1024 * 1024)])
    expect((await refusalOf(list(gzipSync(padded)))).message).toContain('headers or padding')
  })
})

describe('a tar file with extended headers', () => {
  const megabyte = 1024 * 1024
  const header = (type: string, bytes: number): Buffer => {
    const block = Buffer.alloc(512)
    block.write('x', 0)
    block.write(bytes.toString(8).padStart(11, '0'), 124)
    block.write('        ', 148)
    block.write(type, 156)
    const sum = block.reduce((total, byte) => total + byte, 0)
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return block
  }
  const record = `${megabyte} comment=${'c'.repeat(megabyte - 17)}\n`

  it.each([
    ['in a row', ['x', 'x', 'x', 'x', 'x']],
    ['of all entries', ['g', 'V', 'g', 'V', 'g', 'V', 'g', 'V', 'g']],
    ['of a directory list', ['D']],
  ])('is refused if they would fill the memory %s', async (_, types) => {
    expect(record).toHaveLength(megabyte)
    const blocks = types.flatMap((type) => {
      if (type === 'V') return [header(type, 0)]
      if (type === 'D') return [header(type, 5 * megabyte), Buffer.alloc(5 * megabyte)]
      return [header(type, megabyte), Buffer.from(record)]
    })
    const refusal = await refusalOf(list(Buffer.concat([...blocks, Buffer.alloc(1024)])))
    expect(refusal.message).toMatch(/headers or padding in a row/)
  })
})

describe('a file that is no complete archive', () => {
  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['a zip', () => zipOf({ name: 'b', content: Buffer.alloc(3000, 7) })],
    ['a tar', () => tarOf({ name: 'b', content: Buffer.alloc(3000, 7) })],
    ['a tar.gz', () => buildTar([{ name: 'b', content: Buffer.alloc(3000, 7) }], { gzip: true })],
  ])('%s that was cut anywhere', async (_, build) => {
    const whole = await build()
    for (const share of [0.3, 0.5, 0.7, 0.9]) {
      const refusal = await refusalOf(list(whole.subarray(0, Math.floor(whole.length * share))))
      expect(refusal).toMatchObject({
        status: 422,
        message: expect.stringMatching(/incomplete|no zip and no tar/),
      })
    }
  })

  it('a tar that was cut between two entries', async () => {
    const whole = await tarOf()
    const refusal = await refusalOf(list(whole.subarray(0, 1024)))
    expect(refusal.message).toContain('its end is missing')
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a program', Buffer.from('print(1)\n'.repeat(100))],
    ['a program that was compressed', gzipSync('print(1)\n'.repeat(1000))],
    ['an empty zip', buildZip([])],
  ])('%s', async (_, content) => {
    expect(await refusalOf(list(content))).toMatchObject({ status: 422, errors: [{ path: 'archive' }] })
  })
})

describe('several files', () => {
  const filesOf = (...files: [path: string, content: string][]) =>
    withUpload(async (upload) => {
      for (const [path, content] of files) await upload.add('files', path, inPieces(Buffer.from(content)))
      return [...(await listEntries(upload, 'files')).files.values()]
    })

  it('keep their paths and contents', async () => {
    const listed = await filesOf(
      ['main.py', 'print(1)'],
      ['./src/model.py', 'y'.repeat(5000)],
      ['src/empty.py', ''],
    )
    expect(listed).toMatchObject([
      { path: 'main.py', bytes: 8 },
      { path: 'src/model.py', bytes: 5000 },
      { path: 'src/empty.py', bytes: 0 },
    ])
  })

  it('are refused by name', async () => {
    await expect(filesOf(['../evil.py', ''])).rejects.toThrow('"../evil.py" holds ".."')
    await expect(filesOf(['/etc/passwd', ''])).rejects.toThrow('"/etc/passwd" is absolute')
    await expect(filesOf(['a.py', ''], ['./a.py', ''])).rejects.toThrow('"./a.py" appears twice')
    await withUpload(async (upload) => {
      await upload.add('files', 'a.py', inPieces(Buffer.from('x')))
      await expect(upload.add('archive', 'a.zip', inPieces(zipOf()))).rejects.toThrow('comes in addition')
    })
  })
})
