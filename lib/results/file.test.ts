import { createHash } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { diskResultStore, openResultFile, resultFileName, writeResultFile } from './file'
import { ResultStoreFault } from './store'

// The real file system, with single operations replaced where a test injects a fault.
vi.mock('node:fs/promises', async (original) => ({ ...(await original<typeof fs>()) }))

const name = 'ada_cifar10_20261120T223600.123Z.jsonl'
let directory: string

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), 'gpuq-results-'))
})

afterEach(async () => {
  vi.restoreAllMocks()
  await fs.rm(directory, { recursive: true })
})

async function* parts(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text)
}

async function read(start?: number): Promise<string> {
  const { stream } = await openResultFile(directory, name, start === undefined ? {} : { start })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function fault(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

const faultOf = (operation: Promise<unknown>) =>
  operation.then(
    () => 'no fault',
    (error: unknown) => (error instanceof ResultStoreFault ? error.code : error),
  )

describe('the name', () => {
  it('says whose, which competition and when', () => {
    expect(resultFileName('ada', 'cifar10', new Date('2026-11-20T22:36:00.123Z'))).toBe(name)
  })

  it.each(['', '../x', 'a/b', '.hidden', 'a\0', 'x'.repeat(65)])('is never made from the id %j', (id) => {
    expect(() => resultFileName(id, 'c', new Date(0))).toThrow(ResultStoreFault)
    expect(() => resultFileName('u', id, new Date(0))).toThrow(ResultStoreFault)
  })

  it.each(['../evil.jsonl', 'a/b.jsonl', '.x.jsonl', 'x.txt', 'x.jsonl\0', 'x.jsonl\n', ''])(
    'is checked before a disk sees it: %j',
    async (evil) => {
      expect(await faultOf(writeResultFile(directory, evil, parts('x')))).toBe('invalid_name')
      expect(await faultOf(openResultFile(directory, evil))).toBe('invalid_name')
      expect(await faultOf(diskResultStore(directory).remove(evil))).toBe('invalid_name')
      expect(await fs.readdir(directory)).toEqual([])
    },
  )
})

describe('writing', () => {
  it('gives size and digest of what can be read again, from any byte', async () => {
    const stored = await writeResultFile(directory, name, parts('one\n', '', 'two\n'))
    expect(stored).toEqual({ bytes: 8, sha256: createHash('sha256').update('one\ntwo\n').digest('hex') })
    expect(await read()).toBe('one\ntwo\n')
    expect(await read(4)).toBe('two\n')
    expect(await read(100)).toBe('')
    expect(await fs.readdir(directory)).toEqual([name])
  })

  it('makes the directory', async () => {
    const store = diskResultStore(join(directory, 'not', 'yet'))
    await store.write(name, parts('x'))
    const { bytes, stream } = await store.open(name)
    expect(bytes).toBe(1)
    stream.destroy()
  })

  it('never overwrites', async () => {
    await writeResultFile(directory, name, parts('first'))
    expect(await faultOf(writeResultFile(directory, name, parts('second')))).toBe('exists')
    expect(await read()).toBe('first')
    expect(await fs.readdir(directory)).toEqual([name])
  })

  it('lets one of two writers win', async () => {
    const codes = await Promise.all([
      faultOf(writeResultFile(directory, name, parts('a', 'a'))),
      faultOf(writeResultFile(directory, name, parts('b', 'b'))),
    ])
    expect(codes.sort()).toEqual(['exists', 'no fault'])
    expect(['aa', 'bb']).toContain(await read())
  })

  it('shows nothing until it is whole', async () => {
    async function* watched(): AsyncGenerator<Buffer> {
      yield Buffer.from('half')
      expect(await faultOf(openResultFile(directory, name))).toBe('not_found')
    }
    await writeResultFile(directory, name, watched())
    expect(await read()).toBe('half')
  })

  it('leaves nothing behind when the parts fail, and passes their error on as it is', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('x')
      throw new TypeError('the database went away')
    }
    expect(await faultOf(writeResultFile(directory, name, failing()))).toBeInstanceOf(TypeError)
    expect(await fs.readdir(directory)).toEqual([])
  })

  it.each([
    ['ENOSPC', 'no_space'],
    ['EDQUOT', 'no_space'],
    ['EIO', 'storage_error'],
  ])('on %s says %s and leaves nothing behind', async (errno, code) => {
    const real = fs.open
    vi.spyOn(fs, 'open').mockImplementation(async (path, flags, mode) => {
      const file = await real(path, flags, mode)
      if (String(path).endsWith('.part')) vi.spyOn(file, 'writeFile').mockRejectedValue(fault(errno))
      return file
    })
    expect(await faultOf(writeResultFile(directory, name, parts('x')))).toBe(code)
    expect(await fs.readdir(directory)).toEqual([])
  })

  it('works, and still never overwrites, on a disk without hard links', async () => {
    vi.spyOn(fs, 'link').mockRejectedValue(fault('EPERM'))
    await writeResultFile(directory, name, parts('first'))
    expect(await faultOf(writeResultFile(directory, name, parts('second')))).toBe('exists')
    expect(await read()).toBe('first')
    expect(await fs.readdir(directory)).toEqual([name])
  })
})

describe('removing', () => {
  it('is done when there is nothing', async () => {
    const store = diskResultStore(directory)
    await store.write(name, parts('x'))
    await store.remove(name)
    await store.remove(name)
    expect(await fs.readdir(directory)).toEqual([])
  })

  it('clears what dead writers left, and only that', async () => {
    const store = diskResultStore(directory)
    await store.write(name, parts('x'))
    const old = join(directory, `.${name}.00ff.part`)
    const fresh = join(directory, `.${name}.11ff.part`)
    for (const path of [old, fresh, join(directory, 'other.txt')]) await fs.writeFile(path, 'x')
    await fs.utimes(old, new Date(1000), new Date(1000))
    await fs.utimes(join(directory, 'other.txt'), new Date(1000), new Date(1000))
    expect(await store.removeLeftovers(new Date(2000))).toBe(1)
    expect((await fs.readdir(directory)).sort()).toEqual([`.${name}.11ff.part`, name, 'other.txt'])
    expect(await diskResultStore(join(directory, 'none')).removeLeftovers(new Date())).toBe(0)
  })
})
