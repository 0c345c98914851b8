import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { type ByteRange, type ObjectStore, StorageFault } from '../store'

export async function* parts(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

export const readObject = (store: ObjectStore, key: string, start?: number): Promise<string> =>
  readRange(store, key, start === undefined ? {} : { start })

async function readRange(store: ObjectStore, key: string, range: ByteRange): Promise<string> {
  const { stream } = await store.open(key, range)
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Returns the fault code of a failed operation, or any other error unchanged. */
export const faultOf = (operation: Promise<unknown>) =>
  operation.then(
    () => 'no fault',
    (error: unknown) => (error instanceof StorageFault ? error.code : error),
  )

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix)) keys.push(key)
  return keys.sort()
}

const key = 'results/ada_cifar10_20261120T223600.123Z.jsonl'

/** Tests that every store must pass. `fresh` returns an empty store. */
export function testStorageContract(createStore: () => Promise<ObjectStore>): void {
  it('returns size and digest of an object that can be read from any byte', async () => {
    const store = await createStore()
    const stored = await store.write(key, parts('one\n', '', 'two\n'))
    expect(stored).toEqual({ bytes: 8, sha256: createHash('sha256').update('one\ntwo\n').digest('hex') })
    expect(await store.measure(key)).toEqual(stored)
    expect(await readObject(store, key)).toBe('one\ntwo\n')
    expect(await readObject(store, key, 4)).toBe('two\n')
    expect(await readObject(store, key, 8)).toBe('')
    expect(await readObject(store, key, 100)).toBe('')
    for (const [start, end, text] of [
      [0, 2, 'one'],
      [4, 5, 'tw'],
      [2, 100, 'e\ntwo\n'],
      [7, 7, '\n'],
      [8, 9, ''],
    ] as const)
      expect(await readRange(store, key, { start, end })).toBe(text)
    const { bytes, stream } = await store.open(key, { start: 4 })
    expect(bytes).toBe(8)
    stream.destroy()
  })

  it('stores empty objects', async () => {
    const store = await createStore()
    expect((await store.write(key, parts())).bytes).toBe(0)
    expect(await readObject(store, key)).toBe('')
    expect(await store.has(key)).toBe(true)
  })

  it('overwrites only on request', async () => {
    const store = await createStore()
    await store.write(key, parts('first'))
    expect(await faultOf(store.write(key, parts('second')))).toBe('exists')
    expect(await readObject(store, key)).toBe('first')
    await store.write(key, parts('third'), { overwrite: true })
    expect(await readObject(store, key)).toBe('third')
    expect(await keysOf(store, 'results')).toEqual([key])
  })

  it('shows an object only when it is complete', async () => {
    const store = await createStore()
    async function* watched(): AsyncGenerator<Buffer> {
      yield Buffer.from('half')
      expect(await faultOf(store.open(key))).toBe('not_found')
      expect(await store.has(key)).toBe(false)
    }
    await store.write(key, watched())
    expect(await readObject(store, key)).toBe('half')
  })

  it('leaves nothing behind if the parts fail, and passes their error on unchanged', async () => {
    const store = await createStore()
    async function* failing(): AsyncGenerator<Buffer> {
      yield Buffer.from('x')
      throw new TypeError('the database went away')
    }
    expect(await faultOf(store.write(key, failing()))).toBeInstanceOf(TypeError)
    expect(await store.has(key)).toBe(false)
    expect(await keysOf(store, 'results')).toEqual([])
  })

  it('reports missing objects', async () => {
    const store = await createStore()
    expect(await faultOf(store.open(key))).toBe('not_found')
    expect(await faultOf(store.measure(key))).toBe('not_found')
    expect(await store.has(key)).toBe(false)
    expect(await keysOf(store, 'results')).toEqual([])
  })

  it('removes objects', async () => {
    const store = await createStore()
    await store.write(key, parts('x'))
    await store.remove(key)
    await store.remove(key)
    expect(await store.has(key)).toBe(false)
    await store.write(key, parts('again'))
    expect(await readObject(store, key)).toBe('again')
  })

  it('lists the objects below whole segments', async () => {
    const store = await createStore()
    const keys = ['artifacts/j1/1/0/a', 'artifacts/j1/1/0/b', 'artifacts/j1/2/0/a', 'artifacts/j10/1/0/a']
    for (const each of keys) await store.write(each, parts(each))
    expect(await keysOf(store, 'artifacts/j1')).toEqual(keys.slice(0, 3))
    expect(await keysOf(store, 'artifacts/j1/1')).toEqual(keys.slice(0, 2))
    expect(await keysOf(store, 'artifacts')).toEqual(keys)
    expect(await keysOf(store, 'blobs')).toEqual([])
    for await (const { key: found, bytes, writtenAt } of store.list('artifacts')) {
      expect(bytes).toBe(found.length)
      // S3 timestamps have a resolution of one second.
      expect(Math.abs(writtenAt.getTime() - Date.now())).toBeLessThan(60_000)
    }
    for (const each of keys) await store.remove(each)
    expect(await keysOf(store, 'artifacts')).toEqual([])
  })

  it.each([
    'results/../evil.jsonl',
    '../results/x',
    'results//x',
    'results/.x',
    'results/x\0',
    'results/x\n',
    'results/x/',
    'results',
    'postgres/x',
    '/etc/passwd',
    '',
  ])('refuses the key %j before any operation', async (evil) => {
    const store = await createStore()
    for (const operation of [
      store.write(evil, parts('x')),
      store.open(evil),
      store.measure(evil),
      store.has(evil),
      store.remove(evil),
    ]) {
      expect(await faultOf(operation)).toBe('invalid_key')
    }
    if (evil !== 'results') expect(await faultOf(keysOf(store, evil))).toBe('invalid_key')
  })
}
