import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { crc32, gzipSync } from 'node:zlib'
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { arrange, describeLeftOut, isLocalLink } from '@/components/jobs/submit/directory/directory'
import { BrowserDecompression } from '@/components/jobs/submit/directory/read/testing/browser-gunzip'
import { unpackArchive } from '@/components/jobs/submit/directory/read/unpack-archive'
import { DirectoryUpload } from '@/lib/archives/unpack/directory-upload'
import { listEntries } from '@/lib/archives/unpack/store-upload'
import { buildTar, buildZip, type TarEntry, type ZipEntry } from '@/lib/archives/unpack/testing/build-archive'
import { isLink } from '@/lib/contract/archives/archive-manifest'
import type { NamedFiles } from '@/lib/contract/archives/unpack/place-entries'

const root = vi.hoisted(() => {
  // Another file of this process may have read the environment already.
  vi.resetModules()
  const directory = `/tmp/gpuq-same-archives-${process.pid}-${Math.random().toString(36).slice(2)}`
  vi.stubEnv('GPUQ_DATA_DIR', directory)
  vi.stubEnv('GPUQ_MIN_FREE_GIB', '0')
  return directory
})
const scratch = mkdtempSync(join(tmpdir(), 'gpuq-archives-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(scratch, { recursive: true })
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** By path: the hash of the content, with a star for an executable file; or the target of a link. */
type Listing = Record<string, string>

/** The key of the sentence about what is not sent. */
const notSent = '(not sent)'
const noteOf = (sentence: string | null): Listing => (sentence === null ? {} : { [notSent]: sentence })

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const hashOf = (text: string | Buffer) => sha256(Buffer.from(text))

async function byPage(name: string, archive: Buffer, named: NamedFiles | null): Promise<Listing> {
  const file = new File([new Uint8Array(archive)], name)
  const { entries, emptyDirectories } = await unpackArchive({ archive: file, maxBytes: 1e9, named })
  const origin = { name, configFile: null, packed: true, emptyDirectories }
  const listed = entries.map(async (entry) => {
    if (isLocalLink(entry)) return [entry.path, `→ ${entry.target}`] as const
    const hash = sha256(new Uint8Array(await entry.content.arrayBuffer()))
    return [entry.path, hash + (entry.executable ? '*' : '')] as const
  })
  const sentence = describeLeftOut(arrange(origin, entries))
  return { ...Object.fromEntries(await Promise.all(listed)), ...noteOf(sentence) }
}

async function byServer(name: string, archive: Buffer, named: NamedFiles | null): Promise<Listing> {
  const upload = new DirectoryUpload('user')
  async function* pieces() {
    for (let at = 0; at < archive.length; at += 10_000) yield archive.subarray(at, at + 10_000)
  }
  try {
    await upload.add('archive', name, pieces())
    const { files, notSent } = await listEntries(upload, 'archive', named)
    const entries = [...files.values()]
    const listing = Object.fromEntries(
      entries.map((entry) =>
        isLink(entry)
          ? [entry.path, `→ ${entry.target}`]
          : [entry.path, entry.sha256 + (entry.executable ? '*' : '')],
      ),
    )
    return { ...listing, ...noteOf(notSent) }
  } finally {
    await upload.close()
  }
}

async function expectBoth(name: string, archive: Buffer, wanted: Listing, named: NamedFiles | null = {}) {
  expect({ page: await byPage(name, archive, named) }).toEqual({ page: wanted })
  expect({ server: await byServer(name, archive, named) }).toEqual({ server: wanted })
}

async function expectRefusal(archive: Buffer, why: RegExp) {
  for (const read of [byPage, byServer]) {
    const refusal = await read('project.zip', archive, {}).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ message: expect.stringMatching(why) })
  }
}

/** Creates files, and packs them with the tar of this machine. */
function tarOf(make: (directory: string) => void, ...options: string[]): Buffer {
  const directory = mkdtempSync(join(scratch, 'files-'))
  make(directory)
  const maxBuffer = 64 * 1024 * 1024
  return execFileSync('tar', ['-C', directory, ...options, '-cf', '-', '.'], { maxBuffer })
}

function write(directory: string, path: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(join(directory, dirname(path)), { recursive: true })
  writeFileSync(join(directory, path), content)
  chmodSync(join(directory, path), mode)
}

/** Writes only the parts with data: the file has holes on the disk. */
function writeSparse(directory: string, path: string, content: Buffer, mode = 0o644): void {
  write(directory, path, '', mode)
  const file = openSync(join(directory, path), 'r+')
  ftruncateSync(file, content.length)
  for (let at = 0; at < content.length; at += 4096) {
    const block = content.subarray(at, at + 4096)
    if (block.some((byte) => byte !== 0)) writeSync(file, block, 0, block.length, at)
  }
  closeSync(file)
}

const longPath = `${'directory-with-a-long-name/'.repeat(8)}${'file-'.repeat(30)}.txt`
const mixed = (directory: string) => {
  write(directory, 'main.py', 'print(1)')
  write(directory, 'run.sh', 'echo', 0o755)
  write(directory, 'dätä/übung 資料.csv', 'a,b')
  write(directory, longPath, 'long')
  write(directory, 'README', 'one')
  write(directory, 'readme', 'two')
  write(directory, 'empty', '')
  mkdirSync(join(directory, 'empty directory'))
  symlinkSync('main.py', join(directory, 'latest'))
  symlinkSync(`../${longPath}`, join(directory, 'dätä/far'))
  linkSync(join(directory, 'main.py'), join(directory, 'same.py'))
}
const mixedListing: Listing = {
  'main.py': hashOf('print(1)'),
  'same.py': hashOf('print(1)'),
  'run.sh': `${hashOf('echo')}*`,
  'dätä/übung 資料.csv': hashOf('a,b'),
  [longPath]: hashOf('long'),
  README: hashOf('one'),
  readme: hashOf('two'),
  empty: hashOf(''),
  latest: '→ main.py',
  'dätä/far': `→ ../${longPath}`,
  [notSent]: 'Not sent: 1 empty directory: empty directory/.',
}

describe('a tar file has the same files on the page and on the server', () => {
  it.each([
    ['GNU', ['--format=gnu']],
    ['POSIX', ['--format=posix']],
    ['POSIX with a comment for all entries', ['--format=posix', '--pax-option=globexthdr.name=g,comment=c']],
  ])(
    'a tar file has the same files on the page and on the server in the format of %s',
    async (_, options) => {
      const packed = tarOf(mixed, ...options)
      await expectBoth('a.tar', packed, mixedListing)
      await expectBoth('a.tar.gz', gzipSync(packed), mixedListing)
    },
  )

  it('a tar file has the same files on the page and on the server if its gzip has several members', async () => {
    const packed = tarOf(mixed)
    const cuts = [0, 1000, 1000, 5000, packed.length]
    const members = cuts.slice(1).map((end, index) => gzipSync(packed.subarray(cuts[index], end)))
    vi.stubGlobal('DecompressionStream', BrowserDecompression)
    try {
      await expectBoth('a.tar.gz', Buffer.concat(members), mixedListing)
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it.each(['ustar', 'v7'])(
    'a tar file has the same files on the page and on the server in the old format %s',
    async (format) => {
      const make = (directory: string) => {
        write(directory, 'main.py', 'print(1)')
        write(directory, 'bin/run', 'x', 0o755)
        symlinkSync('main.py', join(directory, 'latest'))
      }
      const packed = tarOf(make, `--format=${format}`)
      await expectBoth('a.tar', packed, {
        'main.py': hashOf('print(1)'),
        'bin/run': `${hashOf('x')}*`,
        latest: '→ main.py',
      })
    },
  )

  it.each([
    ['GNU', ['--format=gnu']],
    ['POSIX 0.0', ['--format=posix', '--sparse-version=0.0']],
    ['POSIX 0.1', ['--format=posix', '--sparse-version=0.1']],
    ['POSIX 1.0', ['--format=posix', '--sparse-version=1.0']],
  ])(
    'a tar file has the same files on the page and on the server if they are sparse, in the format of %s',
    async (_, options) => {
      const sparse = Buffer.alloc(5_000_000)
      sparse.write('weights', 0)
      // More parts than a header of GNU has room for.
      for (let part = 1; part < 40; part++) sparse.fill(part, part * 120_000, part * 120_000 + 5000)
      const hole = Buffer.alloc(3_000_000)
      const make = (directory: string) => {
        writeSparse(directory, 'data/weights.bin', sparse)
        writeSparse(directory, 'data/hole.bin', hole)
        writeSparse(directory, 'data/tail.bin', Buffer.concat([hole, Buffer.from('end')]))
        writeSparse(directory, `${longPath}.bin`, sparse, 0o755)
        write(directory, 'main.py', 'x')
      }
      const packed = tarOf(make, '--sparse', '--hole-detection=raw', ...options)
      expect(packed.length).toBeLessThan(1_500_000)
      await expectBoth('a.tar', packed, {
        'data/weights.bin': hashOf(sparse),
        'data/hole.bin': hashOf(hole),
        'data/tail.bin': sha256(Buffer.concat([hole, Buffer.from('end')])),
        [`${longPath}.bin`]: `${hashOf(sparse)}*`,
        'main.py': hashOf('x'),
      })
    },
  )

  it('a tar file has the same files on the page and on the server if macOS added its metadata', async () => {
    const entries: TarEntry[] = [
      { name: './._project' },
      { name: 'project/', type: 'directory' },
      { name: 'project/._main.py', content: 'Mac OS X' },
      { name: 'project/main.py', content: 'print(1)' },
      { name: 'project/._own', content: 'of the user' },
    ]
    const wanted = { 'main.py': hashOf('print(1)'), '._own': hashOf('of the user') }
    await expectBoth('x.tar', await buildTar(entries), wanted)
  })
})

/** The extra field with the name of an entry in UTF-8. */
function unicodePath(name: string, rawName: Buffer): Buffer {
  const head = Buffer.alloc(9)
  const bytes = Buffer.from(name)
  head.writeUInt16LE(0x7075, 0)
  head.writeUInt16LE(5 + bytes.length, 2)
  head.writeUInt8(1, 4)
  head.writeUInt32LE(crc32(rawName), 5)
  return Buffer.concat([head, bytes])
}

describe('a zip file has the same files on the page and on the server', () => {
  it('a zip file has the same files on the page and on the server with names in UTF-8 with and without the mark, in code page 437, and beside another encoding', async () => {
    const latin = Buffer.from('caf\xe9.csv', 'latin1')
    const entries: ZipEntry[] = [
      { name: 'marked-ü.csv', content: '1' },
      { name: '', rawName: Buffer.from('data/übung.csv'), content: '2', mode: 0o100_644 },
      { name: '', rawName: Buffer.from('資料/a.csv'), content: '3' },
      // `ü` in code page 437.
      { name: '', rawName: Buffer.from('dos-\x81.csv', 'latin1'), content: '4' },
      // Shift-JIS has no mark in a zip file, so its names are read as code page 437 too.
      { name: '', rawName: Buffer.from('\x83f\x81[\x83^.csv', 'latin1'), content: '7' },
      { name: '', rawName: latin, extra: unicodePath('café.csv', latin), content: '5' },
      // The field belongs to another name, so it does not count.
      { name: '', rawName: Buffer.from('plain.csv'), extra: unicodePath('x', latin), content: '6' },
    ]
    await expectBoth('names.zip', buildZip(entries), {
      'marked-ü.csv': hashOf('1'),
      'data/übung.csv': hashOf('2'),
      '資料/a.csv': hashOf('3'),
      'dos-ü.csv': hashOf('4'),
      'âfü[â^.csv': hashOf('7'),
      'café.csv': hashOf('5'),
      'plain.csv': hashOf('6'),
    })
  })

  it('a zip file has the same files on the page and on the server with modes, links, empty directories, Windows names and names that differ only in case', async () => {
    const entries: ZipEntry[] = [
      { name: 'src/', mode: 0o040_755 },
      { name: 'src/run', content: 'x', mode: 0o100_755 },
      { name: 'latest', content: 'src/run', mode: 0o120_777 },
      { name: 'win\\dows.py', content: 'w' },
      { name: 'win\\empty', attributes: 0x10 },
      { name: 'SRC/run', content: 'y' },
      { name: 'Main.py', content: '1' },
      { name: 'main.py', content: '2' },
      { name: 'none/', mode: 0o040_755 },
      { name: 'stored', content: 'z', method: 0 },
    ]
    await expectBoth('project.zip', buildZip(entries), {
      'src/run': `${hashOf('x')}*`,
      latest: '→ src/run',
      'win/dows.py': hashOf('w'),
      'SRC/run': hashOf('y'),
      'Main.py': hashOf('1'),
      'main.py': hashOf('2'),
      stored: hashOf('z'),
      [notSent]: 'Not sent: 2 empty directories: win/empty/, none/.',
    })
  })

  it.each([
    ['zip64', { zip64: true }],
    ['data descriptors', { dataDescriptor: true, bufferedWrite: false }],
    ['extended times', { extendedTimestamp: true }],
  ])('a zip file has the same files on the page and on the server with %s', async (_, options) => {
    const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, ...options })
    await writer.add('main.py', new TextReader('print(1)'))
    await writer.add('data/a.csv', new TextReader('a'.repeat(100_000)))
    const packed = Buffer.from(await (await writer.close()).arrayBuffer())
    const wanted = { 'main.py': hashOf('print(1)'), 'data/a.csv': hashOf('a'.repeat(100_000)) }
    await expectBoth('a.zip', packed, wanted)
  })

  it('a zip file has the same files on the page and on the server with empty directories at their places, but not those that only macOS knows', async () => {
    const entries: ZipEntry[] = [
      { name: 'project/', mode: 0o040_755 },
      { name: 'project/main.py', content: 'x' },
      { name: 'project/out/', mode: 0o040_755 },
      { name: 'project/out/deep/', mode: 0o040_755 },
      { name: '__MACOSX/', mode: 0o040_755 },
      { name: '__MACOSX/project/', mode: 0o040_755 },
    ]
    await expectBoth('project.zip', buildZip(entries), {
      'main.py': hashOf('x'),
      [notSent]: 'Not sent: 1 empty directory: out/deep/.',
    })
  })

  it('a zip file has the same files on the page and on the server if Finder made it', async () => {
    const finder: ZipEntry[] = [
      { name: 'project/', mode: 0o040_755 },
      { name: 'project/solution.py', content: 'print(1)' },
      { name: '__MACOSX/', mode: 0o040_755 },
      { name: '__MACOSX/project/._solution.py', content: 'Mac OS X' },
    ]
    await expectBoth('finder.zip', buildZip(finder), { 'solution.py': hashOf('print(1)') })
    const flat = [
      { name: 'solution.py', content: 'x' },
      { name: '__MACOSX/._solution.py', content: 'y' },
    ]
    await expectBoth('flat.zip', buildZip(flat), { 'solution.py': hashOf('x') })
  })

  it('a zip file has the same files on the page and on the server with everything that was packed, whatever the ignore rules in it say', async () => {
    const files = {
      '.gitignore': 'data\n',
      'data/a': '1',
      '.env': '2',
      '.git/config': '3',
      '.gpuqignore': '*',
    }
    const entries = Object.entries(files).map(([name, content]) => ({ name, content }))
    const wanted = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, hashOf(text)]))
    await expectBoth('repository.zip', buildZip(entries), wanted)
  })
})

describe('the only directory of an archive', () => {
  const zip = (...paths: string[]) => buildZip(paths.map((name) => ({ name, content: name })))
  const listing = (places: Record<string, string>) =>
    Object.fromEntries(Object.entries(places).map(([path, packed]) => [path, hashOf(packed)]))

  it('is taken if it has the name of the archive, a program, or the file that the config names', async () => {
    const wanted = listing({ 'lib/a.py': 'project/lib/a.py', 'b.csv': 'project/b.csv' })
    await expectBoth('project.zip', zip('project/lib/a.py', 'project/b.csv'), wanted)
    const repository = listing({ 'main.py': 'repo-main/main.py', x: 'repo-main/x' })
    await expectBoth('download (1).zip', zip('repo-main/main.py', 'repo-main/x'), repository)
    const nested = listing({ 'main.py': 'outer/inner/main.py', 'src/x.py': 'outer/inner/src/x.py' })
    await expectBoth('outer.zip', zip('outer/inner/main.py', 'outer/inner/src/x.py'), nested)
    const named = listing({ 'train.py': 'p/train.py', 'data/x': 'p/data/x' })
    await expectBoth('a.zip', zip('p/train.py', 'p/data/x'), named, { entrypoint: 'train.py' })
  })

  it('stays if it is not a project, or the config uses it by its name', async () => {
    const cases: [string, string[], NamedFiles | null][] = [
      ['a.zip', ['src/train.py'], {}],
      ['project.zip', ['project/main.py', 'other'], {}],
      ['project.zip', ['project/main.py'], { entrypoint: 'project/main.py' }],
      ['project.zip', ['project/main.py'], { command: 'python project/main.py' }],
      ['project.zip', ['project/main.py'], { command: 'set -e; cd project && make' }],
      ['src.zip', ['src/main.py'], { command: 'python -m src.main' }],
      // It comes with a program, which finds its data as it was packed.
      ['data.zip', ['data/a.csv'], null],
    ]
    for (const [name, paths, named] of cases) {
      const wanted = listing(Object.fromEntries(paths.map((path) => [path, path])))
      await expectBoth(name, zip(...paths), wanted, named)
    }
    const other = listing({ 'main.py': 'bert/main.py' })
    await expectBoth('bert.zip', zip('bert/main.py'), other, { command: 'python main.py --model bert' })
  })
})

describe('an archive is refused by name on the page and on the server', () => {
  const file = { name: 'main.py', content: 'x' }
  it.each<[string, ZipEntry[], RegExp]>([
    ['a path that leads out', [{ name: '../evil.py' }], /"\.\.\/evil\.py" holds "\.\."/],
    ['an absolute path', [{ name: '/etc/passwd' }], /"\/etc\/passwd" is absolute/],
    ['a name that is not UTF-8', [{ name: 'a\ufffd' }], /"a\ufffd" is not UTF-8/],
    ['two entries of one path', [{ name: './main.py' }], /"main\.py" appears twice/],
    ['a file below a file', [{ name: 'main.py/x' }], /"main\.py\/x" is below a path that is not a directory/],
    ['a password', [{ name: 'a', content: 'x', encrypted: true }], /"a" is encrypted: create the archive/],
    ['another compression', [{ name: 'a', content: 'x', method: 12 }], /"a" has the compression method 12/],
    ['a device', [{ name: 'null', mode: 0o020_666 }], /"null" is a device or a socket/],
    [
      'a link that leads out',
      [{ name: 'l', content: '../x', mode: 0o120_777 }],
      /"l" is a link that leads out/,
    ],
    ['a damaged content', [{ name: 'a', content: 'x', saidCrc: 1 }], /damaged/],
  ])('a zip file with %s', (_, entries, why) => expectRefusal(buildZip([file, ...entries]), why))

  it.each<[string, TarEntry[], RegExp]>([
    ['a path that leads out', [{ name: '../evil.py' }], /"\.\.\/evil\.py" holds "\.\."/],
    ['two entries of one path', [{ name: './main.py' }], /"main\.py" appears twice/],
    ['a FIFO', [{ name: 'pipe', type: 'fifo' }], /"pipe" is a FIFO/],
    [
      'a hard link to nothing',
      [{ name: 'h', type: 'link', linkname: 'x' }],
      /"h" is a hard link to "x", which/,
    ],
  ])('a tar file with %s', async (_, entries, why) => {
    await expectRefusal(await buildTar([file, ...entries]), why)
  })

  it('a tar file that is cut off, damaged, or lies about its sparse files', async () => {
    const packed = await buildTar([file, { name: 'b', content: Buffer.alloc(3000, 7) }])
    await expectRefusal(packed.subarray(0, 1024), /its end is missing/)
    const damaged = Buffer.from(packed)
    damaged.write('X', 1024)
    await expectRefusal(damaged, /the header of an entry is wrong/)
    const make = (directory: string) =>
      writeSparse(directory, 'w', Buffer.concat([Buffer.alloc(100_000), Buffer.from('x')]))
    const sparse = tarOf(make, '--sparse', '--hole-detection=raw', '--format=posix', '--sparse-version=0.1')
    const lie = Buffer.from(
      sparse.toString('latin1').replace('GNU.sparse.size=100001', 'GNU.sparse.size=000001'),
      'latin1',
    )
    await expectRefusal(lie, /w" is a sparse file whose list of parts is wrong/)
  })

  it.each([
    ['7z', '7z\xbc\xaf\x27\x1c'],
    ['rar', 'Rar!\x1a\x07\x01\x00'],
    ['bzip2', 'BZh91AY&SY'],
    ['xz', '\xfd7zXZ\x00'],
    ['zstd', '\x28\xb5\x2f\xfd'],
  ])('a %s file, with the formats that can be sent', async (name, start) => {
    const archive = Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(600)])
    await expectRefusal(
      archive,
      new RegExp(`is a ${name} file, which gpuq does not read: send a \\.zip, \\.tar, \\.tar\\.gz`),
    )
  })
})
