import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Store } from './s3'
import { StorageFault } from './store'
import { faultOf, keysOf, parts, readObject, testStorageContract } from './testing/contract'
import { freePort, type S3Server, startS3Server } from './testing/s3-server'

const key = 'artifacts/job/1/0/large'
const mebibytes = (count: number) => Array.from({ length: count }, () => randomBytes(1 << 20))
const messageOf = (operation: Promise<unknown>) =>
  operation.then(
    () => 'no fault',
    (error: unknown) => (error instanceof StorageFault ? `${error.code}: ${error.message}` : String(error)),
  )

describe.each([
  ['a bucket', true],
  ['a bucket on a server with fewer features', false],
])('%s', (_, complete) => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server({ complete })
  })
  afterAll(() => server.stop())

  describe('the storage contract:', () => {
    let stores = 0
    testStorageContract(async () => s3Store({ ...server.options, prefix: `store-${stores++}/` }))
  })

  it('works without a prefix', async () => {
    const store = s3Store({ ...server.options, prefix: '' })
    await store.write(key, parts('x'))
    expect(await keysOf(store, 'artifacts')).toEqual([key])
    await store.remove(key)
  })

  it('uploads large objects in parts, and reads them from any byte', async () => {
    const store = s3Store(server.options)
    const pieces = mebibytes(37)
    const whole = Buffer.concat(pieces)
    const stored = await store.write(key, parts(...pieces))
    expect(stored).toEqual({ bytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') })
    expect(await store.measure(key)).toEqual(stored)
    expect(server.requests.filter((request) => request.includes('partNumber'))).toHaveLength(3)
    expect(await server.uploads()).toEqual([])
    const { stream } = await store.open(key, { start: whole.length - 5 })
    expect(Buffer.concat(await stream.toArray())).toEqual(whole.subarray(-5))
    expect(server.requests.at(-1)).toBe(`GET  bytes=${whole.length - 5}-`)
    expect(await faultOf(store.write(key, parts('second')))).toBe('exists')
    await store.remove(key)
  })

  it('can be checked without leaving an object', async () => {
    const store = s3Store({ ...server.options, prefix: 'checked/' })
    await store.check()
    expect(await keysOf(store, 'results')).toEqual([])
  })
})

describe('a bucket', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server({ complete: true })
  })
  afterAll(() => server.stop())

  it('aborts the upload if the source fails', async () => {
    const store = s3Store(server.options)
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield* mebibytes(40)
      expect(await server.uploads()).toHaveLength(1)
      throw new TypeError('the container went away')
    }
    expect(await faultOf(store.write(key, failing()))).toBeInstanceOf(TypeError)
    expect(await server.uploads()).toEqual([])
    expect(await store.has(key)).toBe(false)
  })

  it.each([1, 20])('accepts one of two writers of %i MiB', async (count) => {
    const store = s3Store({ ...server.options, prefix: `race-${count}/` })
    let begun = 0
    let open = () => {}
    const both = new Promise<void>((resolve) => {
      open = resolve
    })
    async function* waiting(): AsyncGenerator<Uint8Array> {
      begun++
      if (begun === 2) open()
      await both
      yield* mebibytes(count)
    }
    const first = store.write(key, waiting())
    const codes = await Promise.all([faultOf(first), faultOf(store.write(key, waiting()))])
    expect(codes.sort()).toEqual(['exists', 'no fault'])
    expect(await server.uploads()).toEqual([])
  })

  it('removes uploads of dead writers after a day', async () => {
    const store = s3Store(server.options)
    const { S3 } = await import('@aws-sdk/client-s3')
    const { endpoint, region, credentials } = server.options
    if (!endpoint || !credentials) throw new Error('The test server has no endpoint or credentials.')
    const client = new S3({ endpoint, region, credentials, forcePathStyle: true })
    await client.createMultipartUpload({ Bucket: server.options.bucket, Key: 'lab/gpuq/artifacts/x' })
    expect(await store.removeLeftovers(new Date())).toBe(0)
    expect(await store.removeLeftovers(new Date(Date.now() + 25 * 3600_000))).toBe(1)
    expect(await server.uploads()).toEqual([])
  })

  it('says what to change if it is missing, rejects access, or does not respond', async () => {
    const elsewhere = s3Store({ ...server.options, bucket: 'no-such-bucket' })
    expect(await messageOf(elsewhere.check())).toMatch(/^storage_error: There is no bucket.*GPUQ_STORAGE/)
    expect(await messageOf(elsewhere.write(key, parts('x')))).toMatch(/There is no bucket "no-such-bucket"/)

    const wrongKey = { accessKeyId: 'nobody', secretAccessKey: 'wrong' }
    const foreign = s3Store({ ...server.options, credentials: wrongKey })
    expect(await messageOf(foreign.check())).toMatch(/^denied: .*GPUQ_S3_SECRET_ACCESS_KEY/)
    expect(await faultOf(foreign.has(key))).toBe('denied')

    const nobody = s3Store({ ...server.options, endpoint: `http://127.0.0.1:${await freePort()}` })
    expect(await messageOf(nobody.check())).toMatch(/^unreachable: .*GPUQ_S3_ENDPOINT/)
    expect(await faultOf(nobody.write(key, parts('x')))).toBe('unreachable')
    expect(await faultOf(nobody.open(key))).toBe('unreachable')
  })

  it('continues after an interruption', async () => {
    const gone = await startS3Server({ complete: true })
    const store = s3Store(gone.options)
    await store.write(key, parts('x'))
    expect(await readObject(store, key)).toBe('x')
    await gone.stop()
    expect(await faultOf(store.open(key))).toBe('unreachable')
  })
})
