import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import tar, { type Header } from 'tar-stream'
import { expect, it } from 'vitest'
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
