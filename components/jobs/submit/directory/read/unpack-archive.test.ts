import { buffer } from 'node:stream/consumers'
import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import tar, { type Header } from 'tar-stream'
import { describe, expect, it } from 'vitest'
import { isLocalLink, type LocalEntry } from '../directory'
import { unpackArchive as unpack } from './unpack-archive'

const limit = 1024 * 1024

const unpackArchive = (content: Blob, maxBytes: number) =>
  unpack({ archive: new File([content], 'archive'), maxBytes, named: null })

interface ZipFile {
  name: string
  text?: string
  unixMode?: number
  password?: string
}

async function zip(files: readonly ZipFile[]): Promise<Blob> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, msDosCompatible: false })
  for (const { name, text = '', ...options } of files)
    await writer.add(name, new TextReader(text), { directory: name.endsWith('/'), ...options })
  return writer.close()
}

type TarEntry = Pick<Header, 'name'> & Partial<Header> & { content?: string }

async function packTar(entries: readonly TarEntry[]): Promise<Blob> {
  const pack = tar.pack()
  for (const { content = '', ...header } of entries) pack.entry(header, content)
  pack.finalize()
  return new Blob([new Uint8Array(await buffer(pack as AsyncIterable<Buffer>))])
}

async function tarGz(entries: readonly TarEntry[]): Promise<Blob> {
  const packed = await packTar(entries)
  return new Response(packed.stream().pipeThrough(new CompressionStream('gzip'))).blob()
}

const file = (name: string, content: string, mode = 0o644): TarEntry => ({ name, content, mode })

/** Entries as plain values. */
const describeAll = ({ entries }: { entries: readonly LocalEntry[] }) =>
  Promise.all(
    entries.map(async (entry) =>
      isLocalLink(entry)
        ? `${entry.path} → ${entry.target}`
        : `${entry.path}${entry.executable ? '*' : ''}: ${await entry.content.text()}`,
    ),
  )

describe('a zip file', () => {
  it('is read with modes and links, without directories and metadata of macOS', async () => {
    const archive = await zip([
      { name: 'src/' },
      { name: './src/a.py', text: 'a = 1' },
      { name: 'run.sh', text: 'echo', unixMode: 0o100755 },
      { name: 'latest', text: 'src/a.py', unixMode: 0o120777 },
      { name: '__MACOSX/._run.sh', text: 'x' },
      { name: 'empty' },
      { name: 'win\\dows.py', text: 'w' },
    ])
    expect(await describeAll(await unpackArchive(archive, limit))).toEqual([
      'src/a.py: a = 1',
      'run.sh*: echo',
      'latest → src/a.py',
      'empty: ',
      'win/dows.py: w',
    ])
  })

  it.each([
    ['../evil', 'holds ".."'],
    ['/etc/passwd', 'is absolute'],
  ])('a zip file with the entry %s is refused by name', async (name, why) => {
    await expect(unpackArchive(await zip([{ name, text: 'x' }]), limit)).rejects.toThrow(`"${name}" ${why}`)
  })

  it('a zip file with a link that leads outside, or a device, is refused', async () => {
    const link = await zip([{ name: 'up', text: '../..', unixMode: 0o120777 }])
    await expect(unpackArchive(link, limit)).rejects.toThrow('"up" is a link that leads out of the directory')
    const device = await zip([{ name: 'null', text: '', unixMode: 0o020666 }])
    await expect(unpackArchive(device, limit)).rejects.toThrow('"null" is a device or a socket')
  })

  it('a zip file that is larger than the limit is refused', async () => {
    const archive = await zip([{ name: 'zeros', text: '0'.repeat(3000) }])
    await expect(unpackArchive(archive, 2000)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('a zip file that is damaged, cut off or encrypted is refused', async () => {
    const archive = await zip([{ name: 'a', text: 'some text that is long enough'.repeat(50) }])
    const bytes = new Uint8Array(await archive.arrayBuffer())
    bytes.fill(0, 40, 60)
    await expect(unpackArchive(new Blob([bytes]), limit)).rejects.toThrow('The archive is damaged')
    await expect(unpackArchive(archive.slice(0, archive.size - 30), limit)).rejects.toThrow('is damaged')
    const secret = await zip([{ name: 'a', text: 'x', password: 'p' }])
    await expect(unpackArchive(secret, limit)).rejects.toThrow('encrypted')
  })
})

describe('a tar file', () => {
  const entries: TarEntry[] = [
    { name: 'p/', type: 'directory' },
    file('p/main.py', 'import b'),
    file('p/run.sh', 'echo', 0o755),
    { name: 'p/link', type: 'symlink', linkname: 'main.py' },
    { name: 'p/copy.py', type: 'link', linkname: 'p/main.py' },
  ]
  const wanted = ['p/main.py: import b', 'p/run.sh*: echo', 'p/link → main.py', 'p/copy.py: import b']

  it('is read, compressed or not', async () => {
    expect(await describeAll(await unpackArchive(await tarGz(entries), limit))).toEqual(wanted)
    const plain = await packTar(entries)
    expect(await describeAll(await unpackArchive(plain, limit))).toEqual(wanted)
  })

  it('a tar file with two entries of one path, or a path outside, is refused', async () => {
    const twice = await tarGz([file('a', '1'), file('./a', '2')])
    await expect(unpackArchive(twice, limit)).rejects.toThrow('"a" appears twice')
    await expect(unpackArchive(await tarGz([file('../a', '1')]), limit)).rejects.toThrow('holds ".."')
  })

  it('a tar file that is cut off is refused', async () => {
    const archive = await tarGz([file('a', 'x'.repeat(5000))])
    await expect(unpackArchive(archive.slice(0, Math.floor(archive.size / 2)), limit)).rejects.toThrow(
      'is damaged',
    )
  })
})

it('refuses a file of another type, whatever its name is', async () => {
  await expect(unpackArchive(new Blob(['print(1)']), limit)).rejects.toThrow('no zip and no tar file')
})
