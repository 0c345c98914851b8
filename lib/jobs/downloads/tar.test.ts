import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import tar, { type Header } from 'tar-stream'
import { expect, it, vi } from 'vitest'
import { type TarEntry, type TarLink, tarOf } from './tar'

const modified = new Date('2026-11-22T10:00:00.000Z')

function file(path: string, content: string, executable = false): TarEntry {
  const open = async () => Readable.from([Buffer.from(content)])
  return { path, bytes: Buffer.byteLength(content), modified, executable, open }
}

/** What another program reads from the archive. */
async function read(entries: (TarEntry | TarLink)[]): Promise<[Header, string][]> {
  const found: [Header, string][] = []
  const reader = tar.extract()
  const written = pipeline(Readable.from(tarOf(entries), { objectMode: false }), reader)
  written.catch(() => {})
  for await (const entry of reader) found.push([entry.header, await text(entry)])
  await written
  return found
}

it('has files, their modes, links, and names of any length', async () => {
  const long = `${'directory/'.repeat(30)}größe.txt`
  const entries = [file('run.sh', 'echo', true), file(long, 'ü'), { path: 'link', target: long, modified }]
  const found = await read([...entries, file('empty', '')])
  expect(
    found.map(([{ name, type, mode, linkname }, content]) => [name, type, mode, linkname, content]),
  ).toEqual([
    ['run.sh', 'file', 0o755, null, 'echo'],
    [long, 'file', 0o644, null, 'ü'],
    ['link', 'symlink', 0o777, long, ''],
    ['empty', 'file', 0o644, null, ''],
  ])
  for (const [{ mtime }] of found) expect(mtime).toEqual(modified)
})

it('fails if a file does not have its declared size', async () => {
  await expect(read([{ ...file('a', 'abc'), bytes: 2 }])).rejects.toThrow('a has 3 bytes in the store')
})

it('an archive with a file of 9 GiB names its size, and a program reads its names', async () => {
  const bytes = 9 * 1024 ** 3
  const open = async () => Readable.from([Buffer.alloc(512)])
  const parts = tarOf([{ path: 'large.bin', bytes, modified, open }])
  const { value: head } = await parts.next()
  await parts.return(undefined)
  const reader = tar.extract()
  const found = new Promise<Header>((resolve) => reader.once('entry', resolve))
  reader.write(head)
  expect(await found).toMatchObject({ name: 'large.bin', size: bytes })
  const input = await buffer(tarOf([file('a/größe.txt', 'ü'), file(`${'b'.repeat(120)}`, '')]))
  const options = { input, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } } as const
  expect(execFileSync('tar', ['-tf', '-'], options)).toBe(`a/größe.txt\n${'b'.repeat(120)}\n`)
})

it('reads no further than its client, and closes a file that opens after the client has left', async () => {
  const opened: Readable[] = []
  let reads = 0
  let later = () => {}
  const entry = (path: string, ready: Promise<void>): TarEntry => ({
    ...file(path, ''),
    bytes: 1024 ** 3,
    open: async () => {
      await ready
      const read = () => {
        reads++
        content.push(Buffer.alloc(65_536))
      }
      const content = new Readable({ read })
      opened.push(content)
      return content
    },
  })
  const slow = tarOf([entry('slow', Promise.resolve())])
  await slow.next()
  await slow.next()
  await vi.waitFor(() => expect(opened[0]?.readableLength).toBeGreaterThan(0))
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  expect(reads).toBeLessThan(10)
  await slow.return(undefined)
  await vi.waitFor(() => expect(opened[0]?.destroyed).toBe(true))
  const left = tarOf([entry('left', new Promise((resolve) => (later = resolve)))])
  await left.next()
  await left.return(undefined)
  later()
  await vi.waitFor(() => expect(opened[1]?.destroyed).toBe(true))
})
