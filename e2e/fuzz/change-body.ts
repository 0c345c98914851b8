import { gzipSync } from 'node:zlib'
import { configText, formBody, formType, type Part, uploadParts } from '../uploads'
import type { Change } from './change-head'
import { type FuzzRequest, setHeader } from './fuzz-request'
import { changeValue, encodeJson, hostileValue, texts } from './hostile-values'
import type { Random } from './random'

const types = [
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/json;;;=',
  'APPLICATION/JSON',
  'application/octet-stream',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  `multipart/form-data; boundary=${'x'.repeat(5000)}`,
  'multipart/form-data; boundary=\xff',
  formType,
  '',
  '/',
  '\xff',
] as const

const yaml = [
  'a: &a [x, x]\nb: *a\n',
  '<<: *none\n',
  '!!python/object/apply:os.system ["id"]\n',
  '---\na: 1\n---\nb: 2\n',
  `${'['.repeat(20_000)}\n`,
  'a: "open\n',
  'a:\n\t- b\n',
  '- a\n- b\n',
  '%YAML 9.9\n---\n',
  '? [complex]\n: key\n',
  '__proto__: {admin: true}\n',
  'expected_time: .nan\n',
  'expected_time: 1e999\n',
  `gpu_count: ${'9'.repeat(400)}\n`,
  'env: {A: &x !!binary "//8="}\n',
  `name: ${'a'.repeat(100_000)}\n`,
] as const

const configKeys = [
  'competition_id',
  'project_id',
  'expected_time',
  'gpu_count',
  'cpu',
  'memory_gb',
  'name',
  'env',
  'args',
  'tags',
  'priority',
  'command',
  'environment',
  'max_time',
  'notify_url',
  'user_id',
  'token',
  'run_name',
  'instances',
] as const

/** The body of an upload whose parts, or the form around them, are wrong. */
function hostileUpload(random: Random): Buffer {
  const config = random.chance(0.5)
    ? configWith(random.pick(configKeys), toJson(hostileValue(random)))
    : `${configText()}${random.pick(yaml)}`
  const parts: Part[] = uploadParts(random.pick(['print(1)', '', '\0', '\ufeff', 'def (:']), config)
  const kind = random.upTo(8)
  if (kind === 0) return formBody(parts.slice(random.upTo(3)))
  if (kind === 1) return formBody([...parts, { name: random.pick(texts).slice(0, 200), content: 'x' }])
  if (kind === 2) return formBody([...parts, ...parts])
  if (kind === 3) return formBody(parts, '')
  if (kind === 4)
    return formBody(parts.map((part) => ({ ...part, filename: random.pick(texts).slice(0, 500) })))
  if (kind === 5)
    return formBody(
      parts.map((part) => ({ ...part, headers: ['Content-Type: text/plain; charset=x', ': '] })),
    )
  if (kind === 6) return Buffer.from(formBody(parts).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return formBody(parts)
}

/** A config in which a key has the given value. As text, because a deep value would need a deep stack. */
function configWith(key: string, json: string): string {
  const others = configText()
    .split('\n')
    .filter((line) => !line.startsWith(`${key}:`))
  return [...others, `${key}: ${json}`, ''].join('\n')
}

/** Valid JSON, for a config that can be written. */
function toJson(value: unknown): string {
  try {
    JSON.parse(encodeJson(value))
    return encodeJson(value)
  } catch {
    return '"x"'
  }
}

function parseBody({ body }: FuzzRequest): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return {}
  }
}

const changeBytes = (request: FuzzRequest, change: (body: Buffer) => Buffer) => {
  request.body = change(request.body ?? Buffer.from('{}'))
}

/** Changes of the body, by name. */
export const bodyChanges: Readonly<Record<string, Change>> = {
  value: (request, random) => {
    if (request.operation?.requestBody?.content['multipart/form-data']) {
      request.body = hostileUpload(random)
      return
    }
    let value = parseBody(request)
    for (let i = 0; i <= random.upTo(3); i++) value = changeValue(value, random)
    try {
      request.body = Buffer.from(encodeJson(value))
    } catch (error) {
      // What an earlier change nested too deeply for this program stays as it is.
      if (!(error instanceof RangeError)) throw error
    }
  },
  'duplicate key': (request) => {
    changeBytes(request, (body) => {
      const text = body.toString('utf8')
      const [first] = /"(?:[^"\\]|\\.)*"\s*:/.exec(text) ?? ['"a":']
      return Buffer.from(text.replace(/\{/, `{${first} null, ${first} [1], `))
    })
  },
  'cut off': (request, random) => {
    changeBytes(request, (body) => body.subarray(0, random.upTo(body.length + 1)))
  },
  'cut off by the client': (request, random) => {
    const { body = Buffer.from('{}') } = request
    setHeader(request, 'Content-Length', String(body.length + 1 + random.upTo(1000)))
    request.body = body
    request.ends = true
  },
  'invalid UTF-8': (request, random) => {
    const bytes = random.pick(['\xff', '\xc3\x28', '\xed\xa0\x80', '\xf0\x9f', '\x00', '\xef\xbb\xbf'])
    changeBytes(request, (body) => {
      const at = random.upTo(body.length + 1)
      return Buffer.concat([body.subarray(0, at), Buffer.from(bytes, 'latin1'), body.subarray(at)])
    })
  },
  'changed byte': (request, random) => {
    changeBytes(request, (body) => {
      const changed = Buffer.from(body)
      if (changed.length > 0) changed[random.upTo(changed.length)] = random.upTo(256)
      return changed
    })
  },
  type: (request, random) => {
    setHeader(request, 'Content-Type', random.pick(types))
    request.body ??= Buffer.from('{}')
  },
  compressed: (request, random) => {
    changeBytes(request, gzipSync)
    if (random.chance(0.8)) setHeader(request, 'Content-Encoding', 'gzip')
  },
  large: (request, random) => {
    request.body = Buffer.alloc(random.pick([17_000, 300_000, 1_200_000]), random.pick(['a', ' ', '[', '\0']))
  },
  unexpected: (request, random) => {
    request.body = Buffer.from(random.pick(['', '{}', 'null', '[]', '"x"', '1', 'a=b', '{"a"', '\ufeff{}']))
  },
  'UTF-16': (request) => {
    changeBytes(request, (body) => Buffer.from(`\ufeff${body.toString('utf8')}`, 'utf16le'))
  },
  chunked: (request, random) => {
    const { body = Buffer.from('{}') } = request
    setHeader(request, 'Transfer-Encoding', 'chunked')
    const size = random.pick([
      body.length.toString(16),
      `${body.length.toString(16)};x=y`,
      'zz',
      'ffffffff',
      '-1',
    ])
    const end = random.pick(['\r\n0\r\n\r\n', '\r\n0\r\nX-Trailer: \x00\r\n\r\n', '\n', ''])
    request.body = Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from(end, 'latin1')])
    request.ends = true
  },
}
