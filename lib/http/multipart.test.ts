import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GpuqError } from '../contract/errors'
import { readUpload } from './multipart'
import { maxPartBytes } from './multipart-parts'

const timeoutMs = 5000
const boundary = 'gpuq-boundary'
const type = `multipart/form-data; boundary=${boundary}`

interface Part {
  name?: string
  filename?: string | undefined
  headers?: string[]
  content: string | Uint8Array
}

const code: Part = { name: 'code', filename: 'solution.py', content: 'print(1)\n' }
const config: Part = { name: 'config_file', filename: 'config.yaml', content: 'project_id: p\n' }

function form(...parts: Part[]): Buffer {
  const blocks = parts.flatMap(({ name, filename, headers = [], content }) => {
    const disposition = [
      'form-data',
      ...(name === undefined ? [] : [`name="${name}"`]),
      ...(filename === undefined ? [] : [`filename="${filename}"`]),
    ].join('; ')
    const head = [`--${boundary}`, `Content-Disposition: ${disposition}`, ...headers, '', ''].join('\r\n')
    return [Buffer.from(head), Buffer.from(content as string), Buffer.from('\r\n')]
  })
  return Buffer.concat([...blocks, Buffer.from(`--${boundary}--\r\n`)])
}

function requestOf(body: Uint8Array | ReadableStream | null, headers: Record<string, string> = {}): Request {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: body as BodyInit | null,
    duplex: 'half',
  }
  return new Request('http://localhost/api/submit', init)
}

const read = (...parts: Part[]) => readUpload(requestOf(form(...parts)), { timeoutMs })

async function errorOf(upload: Promise<unknown>) {
  const error = await upload.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GpuqError)) throw new Error('it was not refused', { cause: error })
  return { status: error.status, message: error.message, paths: error.errors?.map(({ path }) => path) }
}

/** A body that gives its pieces one by one and tells how far it was read. */
function streamOf(pieces: Iterable<Uint8Array>, pauseMs = 0) {
  const iterator = pieces[Symbol.iterator]()
  const seen = { bytes: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        const next = iterator.next()
        if (next.done) return controller.close()
        seen.bytes += next.value.length
        controller.enqueue(next.value)
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, seen }
}

function* endless(piece: Uint8Array, first: Uint8Array = Buffer.alloc(0)): Generator<Uint8Array> {
  yield first
  for (;;) yield piece
}

describe('an upload', () => {
  it('gives both parts as they were sent', async () => {
    const upload = await read(code, config)
    expect(upload.code).toEqual({ filename: 'solution.py', bytes: Buffer.from('print(1)\n') })
    expect(upload.configFile).toEqual({ filename: 'config.yaml', bytes: Buffer.from('project_id: p\n') })
  })

  it('takes the parts in any order, as files or as fields, of any type', async () => {
    const upload = await read(
      { name: 'config_file', content: '# žluť\n' },
      { name: 'code', headers: ['Content-Type: application/octet-stream'], content: 'print("😀")' },
    )
    expect(upload.code).toEqual({ filename: 'solution.py', bytes: Buffer.from('print("😀")') })
    expect(upload.configFile).toEqual({ filename: 'config.yaml', bytes: Buffer.from('# žluť\n') })
  })

  it.each([
    [
      'a notebook',
      'analysis.ipynb',
      '{"cells": [], "metadata": {}, "nbformat": 4}',
      /is a Jupyter notebook.*nbconvert/,
    ],
    ['a config', 'dir/arr.yaml', 'command: ls\n', /is a config.*send it as -F "config_file=@arr\.yaml"/],
    ['a notebook without a name', undefined, '{"nbformat": 4, "cells": []}', /is a Jupyter notebook/],
    [
      'a shell script',
      'run.sh',
      '#!/bin/sh\necho hi\n',
      /is a shell script.*"files=@run\.sh", without the part code\.$/,
    ],
    [
      'a script of Windows',
      'train.sh',
      '#!/usr/bin/env bash\r\necho\r\n',
      /config: entrypoint: train\.sh\.$/,
    ],
    ['a script without a first line', 'dir/run.sh', 'echo hi\n', /is a shell script.*"files=@run\.sh"/],
    ['a script for another program', 'plot.R', '#!/usr/bin/env Rscript\n1\n', /is a script for Rscript/],
    ['a zip file', 'project.zip', Buffer.from('504b03041400', 'hex'), /is an archive.*"archive=@FILE"/],
    ['a tar.gz file', 'project.tgz', Buffer.from('1f8b0800', 'hex'), /is an archive/],
    [
      'a large zip file',
      'a.zip',
      Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(2 * maxPartBytes)]),
      /is an archive/,
    ],
  ])(
    'an upload with %s as code is refused, with what to send instead',
    async (_, filename, content, message) => {
      const { status, paths, message: text } = await errorOf(read({ ...code, filename, content }, config))
      expect({ status, paths, text }).toEqual({
        status: 422,
        paths: ['code'],
        text: expect.stringMatching(message),
      })
    },
  )

  it.each([
    ['code', 'solution.py', 'solution.py'],
    ['code', './my src/train-2.py\n', './my src/train-2.py'],
    ['config_file', 'config.yaml', 'config.yaml'],
  ])(
    'a part %s without a file name that has only %j is refused: an @ is missing',
    async (name, content, file) => {
      const parts = [code, config].map((part) => (part.name === name ? { name, content } : part))
      expect(await errorOf(read(...parts))).toEqual({
        status: 422,
        paths: [name],
        message: `The part ${name} is the name of a file, not its content: write -F "${name}=@${file}", with @ before the name of each file.`,
      })
    },
  )

  it.each([
    ['a file of that content', 'solution.py', 'solution.py\n'],
    ['a field with a program', undefined, 'import a\na.py'],
    ['a field with a program of one line', undefined, 'print("a.py")'],
  ])('takes %s, which has a name at its end', async (_, filename, content) => {
    expect((await read({ name: 'code', filename, content }, config)).code?.bytes.toString()).toBe(content)
  })

  it.each([
    ['a program whose first line names Python', '#!/usr/bin/env python3\nprint(1)\n'],
    ['a dict', '{"cells": 1, "nbformat": 4}["cells"]\n'],
    ['an object that is no notebook', '{"a": 1}'],
  ])('takes %s', async (_, content) => {
    expect((await read({ ...code, content }, config)).code?.bytes.toString()).toBe(content)
  })

  it('takes a field that names its charset', async () => {
    const headers = ['Content-Type: text/plain; charset=utf-8']
    const upload = await read({ ...code, filename: undefined, headers, content: '# žluť 😀' }, config)
    expect(upload.code?.bytes.toString()).toBe('# žluť 😀')
  })

  it('keeps NUL and a byte order mark, and any bytes that are UTF-8, however they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 100 }),
        async (text, asFile, size) => {
          const content = `\ufeff\0${text}`
          const body = form({ name: 'code', ...(asFile ? { filename: 'x.py' } : {}), content }, config)
          function* pieces() {
            for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
          }
          const upload = await readUpload(requestOf(streamOf(pieces()).stream), { timeoutMs })
          expect(upload.code?.bytes).toEqual(Buffer.from(content))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('may have parts of just the largest size', async () => {
    for (const filename of ['x.py', undefined]) {
      const largest = { ...code, filename, content: 'x'.repeat(maxPartBytes) }
      expect((await read(largest, config)).code?.bytes.length).toBe(maxPartBytes)
    }
  })

  it('has a hash of its parts, whatever boundary and names its client made up', async () => {
    const { bodyHash } = await read(code, config)
    expect((await read(config)).bodyHash).not.toEqual(bodyHash)
    expect(bodyHash).toHaveLength(32)
    expect((await read({ ...config }, { ...code, filename: 'other.py' })).bodyHash).toEqual(bodyHash)
    expect((await read({ ...code, content: 'print(2)\n' }, config)).bodyHash).not.toEqual(bodyHash)
    const shifted = [
      { ...code, content: 'print(1)' },
      { ...config, content: '\nproject_id: p\n' },
    ]
    expect((await read(...shifted)).bodyHash).not.toEqual(bodyHash)
  })

  it('gives names of files without their directories, and without what would disturb a terminal', async () => {
    const upload = await read({ ...code, filename: '../../etc/\u202epy.nosul' }, config)
    expect(upload.code?.filename).toBe('py.nosul')
  })
})

describe('a wrong part', () => {
  it.each<[string, Part[], number, string[]]>([
    ['the config missing', [code], 422, ['config_file']],
    ['both missing', [], 422, ['code', 'config_file']],
    ['an empty file', [{ ...code, content: '' }, config], 422, ['code']],
    ['an empty field', [code, { name: 'config_file', content: '' }], 422, ['config_file']],
    ['two of one name', [code, code, config], 422, ['code']],
    ['two of one name, as file and field', [code, { name: 'code', content: 'x' }], 422, ['code']],
    ['an unknown name', [code, config, { name: 'token', content: 'x' }], 422, ['token']],
    ['a name that is an attack', [{ ...code, name: '<script>' }], 422, ['(of another name)']],
    ['no name', [{ content: 'x' }, code, config], 422, ['(of another name)']],
    ['a large file', [{ ...code, content: 'x'.repeat((1 << 20) + 1) }, config], 413, ['code']],
    ['a large field', [{ name: 'code', content: 'x'.repeat((1 << 20) + 1) }, config], 413, ['code']],
    [
      'a file in base64',
      [{ ...code, headers: ['Content-Transfer-Encoding: base64'] }, config],
      415,
      ['code'],
    ],
    [
      'an unknown charset',
      [{ name: 'code', headers: ['Content-Type: text/plain; charset=x'], content: 'x' }],
      422,
      ['code'],
    ],
  ])('is refused by its name: %s', async (_, parts, status, paths) => {
    expect(await errorOf(read(...parts))).toMatchObject({ status, paths })
  })

  it.each(['x.py', undefined])(
    'a wrong part that is not UTF-8 is refused with the place (filename %s)',
    async (filename) => {
      const content = Buffer.concat([Buffer.from('abcé'), Buffer.from([0xff]), Buffer.from('x')])
      const { status, message, paths } = await errorOf(read({ ...code, filename, content }, config))
      expect({ status, paths }).toEqual({ status: 422, paths: ['code'] })
      expect(message).toContain('first wrong byte: 5')
    },
  )

  it('never has its content repeated', async () => {
    const secret = 'gpuq_hushhushhush'
    const { message } = await errorOf(
      read(code, { ...config, content: Buffer.from(`${secret}\xff`, 'latin1') }),
    )
    expect(message).not.toContain('hush')
  })
})

describe('a body', () => {
  it.each<[string, Record<string, string>, number]>([
    ['JSON', { 'content-type': 'application/json' }, 415],
    ['of no type', { 'content-type': '' }, 415],
    ['another multipart', { 'content-type': 'multipart/mixed; boundary=x' }, 415],
    ['compressed', { 'content-encoding': 'gzip' }, 415],
    ['without a boundary', { 'content-type': 'multipart/form-data' }, 400],
    ['with an empty boundary', { 'content-type': 'multipart/form-data; boundary=' }, 400],
    ['with another boundary', { 'content-type': 'multipart/form-data; boundary=other' }, 400],
    ['that declares too much', { 'content-length': '99999999' }, 413],
  ])('is refused when it is %s', async (_, headers, status) => {
    expect(await errorOf(readUpload(requestOf(form(code, config), headers), { timeoutMs }))).toMatchObject({
      status,
    })
  })

  it('a body that is not there is refused', async () => {
    expect(await errorOf(readUpload(requestOf(null), { timeoutMs }))).toMatchObject({ status: 400 })
  })

  it('a body that ends early is refused, wherever it ends', async () => {
    const body = form(code, { name: 'config_file', content: 'x' })
    for (let end = 0; end < body.length - 4; end++) {
      const { status } = await errorOf(readUpload(requestOf(body.subarray(0, end)), { timeoutMs }))
      expect(status).toBe(400)
    }
  })

  it('a body with broken part headers is refused', async () => {
    const broken = Buffer.from(`--${boundary}\r\n\x00\x01: x\r\n\r\nx\r\n--${boundary}--\r\n`)
    expect(await errorOf(readUpload(requestOf(broken), { timeoutMs }))).toMatchObject({ status: 400 })
  })

  it('a body with endless part headers is refused', async () => {
    const { stream, seen } = streamOf(
      endless(
        Buffer.from('X-A: b\r\n'.repeat(1000)),
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data\r\n`),
      ),
    )
    expect(await errorOf(readUpload(requestOf(stream), { timeoutMs }))).toMatchObject({ status: 400 })
    expect(seen.bytes).toBeLessThan(200_000)
  })

  it('a body of ten thousand parts is refused at the first ones', async () => {
    const part = Buffer.from(`--${boundary}\r\nX: y\r\n\r\n\r\n`)
    const { stream, seen } = streamOf(endless(part))
    expect(await errorOf(readUpload(requestOf(stream), { timeoutMs }))).toMatchObject({ status: 400 })
    expect(seen.bytes).toBeLessThan(part.length * 20)
  })

  it.each<[string, Buffer]>([
    ['before the first boundary', Buffer.alloc(0)],
    ['in a file', form(code).subarray(0, -21)],
    ['in a field', form({ name: 'code', content: 'x' }).subarray(0, -21)],
    ['after the last boundary', form(code, config)],
  ])('a body that never ends is refused %s, without its length being known', async (_, first) => {
    const { stream, seen } = streamOf(endless(Buffer.alloc(100_000, 'x'), first))
    expect(await errorOf(readUpload(requestOf(stream), { timeoutMs }))).toMatchObject({ status: 413 })
    expect(seen.bytes).toBeLessThan(2.5 * (1 << 20))
  })

  it('a body that comes too slowly is refused', async () => {
    const { stream } = streamOf(endless(Buffer.from('x')), 20)
    const { status } = await errorOf(readUpload(requestOf(stream), { timeoutMs: 60 }))
    expect(status).toBe(408)
  })

  it('a body that breaks off is refused', async () => {
    const stream = new ReadableStream({
      pull: (controller) => controller.error(new Error('ECONNRESET')),
    })
    expect(await errorOf(readUpload(requestOf(stream), { timeoutMs }))).toMatchObject({ status: 400 })
  })

  it('goes on being taken in after a refusal, so that its sender gets to read the answer, but not for ever', async () => {
    const rest = streamOf(
      (function* () {
        yield form({ name: 'nonsense', content: 'x' })
        for (let i = 0; i < 20; i++) yield Buffer.alloc(100_000)
      })(),
    )
    await errorOf(readUpload(requestOf(rest.stream), { timeoutMs }))
    await expect.poll(() => rest.seen.bytes).toBeGreaterThan(2_000_000)

    const never = streamOf(endless(Buffer.alloc(100_000), form({ name: 'nonsense', content: 'x' })))
    await errorOf(readUpload(requestOf(never.stream), { timeoutMs }))
    await expect.poll(() => never.seen.cancelled).toBe(true)
    expect(never.seen.bytes).toBeLessThan(20_000_000)
  })
})
