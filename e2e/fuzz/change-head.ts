import { type FuzzRequest, removeHeader, setHeader } from './fuzz-request'
import { hugeText, texts } from './hostile-values'
import type { Random } from './random'

/** Changes of the request line and of the headers. Each does one thing that no correct client does. */
export type Change = (request: FuzzRequest, random: Random) => void

const ids = [
  '0',
  '-1',
  'null',
  '..',
  '.',
  '%2e%2e',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%0d%0aSet-Cookie:x=y',
  '%ff%fe',
  '%',
  '%zz',
  '%ed%a0%80',
  'a%2fb',
  ';x=y',
  "'%20OR%201=1--",
  '01920000-0000-7000-8000-000000000000',
  '01920000-0000-7000-8000-00000000000g',
  '9223372036854775808',
  '%f0%9f%9a%80',
  'x'.repeat(4000),
  '__proto__',
  '[id]',
  '{id}',
] as const

const methods = [
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'get',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'QUERY',
  'M-SEARCH',
  'FOO',
] as const

const queries = [
  'limit=-1',
  'limit=0',
  'limit=NaN',
  'limit=1e9',
  'limit=99999999999999999999',
  'limit=10&limit=20',
  'limit[]=1',
  'limit[$gt]=1',
  'cursor=',
  'cursor=x',
  'cursor=%00',
  'cursor=eyJhIjoxfQ',
  'cursor=WyIyMDI2LTAxLTAxIiwieCJd',
  'cursor=bnVsbA',
  `cursor=${'a'.repeat(8000)}`,
  'user_id=%F0%9F%9A%80',
  'all=maybe',
  'status=nothing',
  'offset=-5',
  'after=99999999999999999999999',
  'rank=4294967296',
  'from=%FF',
  '%',
  '%=%',
  '&&&==',
  '__proto__=1',
  '?',
  '#fragment',
  '_rsc=1',
] as const

const credentials: readonly [string, string][] = [
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Bearer gpuq_0000000000000000000000000000000000000000000000000'],
  ['Authorization', `Bearer ${'x'.repeat(8000)}`],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', 'Bearer \xff\xfe'],
  ['Authorization', 'Bearer a b c'],
  ['X-Auth-Token', 'null'],
  ['X-Auth-Token', "' OR 1=1--"],
  ['Cookie', 'gpuq-session=eyJhbGciOiJub25lIn0.e30.'],
  ['Cookie', `gpuq-session=${'a'.repeat(6000)}`],
  ['Cookie', 'gpuq-session=%ff%00; =; ;;; a'],
]

const junk: readonly [string, string][] = [
  ['Host', ':::/@@'],
  ['Host', ''],
  ['Host', 'evil.example'],
  ['Host', '127.0.0.1:99999'],
  ['Host', '[::1'],
  ['Host', 'a b'],
  ['X-Forwarded-Host', '['],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-For', '1.2.3.4, , \xff, ::::'],
  ['X-Forwarded-Proto', 'gopher'],
  ['X-Forwarded-Port', '99999999'],
  ['Forwarded', 'for="[::1";host=evil.example;proto=x'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Origin', ':::'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Accept', '*/*;q=nan, text/html, \xff'],
  ['Accept', 'application/json, text/event-stream'],
  ['Accept-Encoding', 'gzip;q=2, x, *;q=-1'],
  ['Range', 'bytes=9999999999-0'],
  ['Range', 'bytes=-1,0-,x'],
  ['If-None-Match', 'W/"'],
  ['If-Modified-Since', 'yesterday'],
  ['Last-Event-ID', '-1'],
  ['Last-Event-ID', '99999999999999999999'],
  ['Last-Event-ID', '\xff'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'x'.repeat(300)],
  ['Idempotency-Key', '\xfc'],
  ['Prefer', 'wait=-1, respond-async, ='],
  ['Expect', '100-continue'],
  ['Expect', 'nothing'],
  ['X-Http-Method-Override', 'DELETE'],
  ['X-Middleware-Subrequest', 'proxy:proxy:proxy:proxy:proxy'],
  ['X-Middleware-Rewrite', '/api/users'],
  ['Next-Action', 'a'.repeat(42)],
  ['Next-Router-State-Tree', '%5B'],
  ['Next-Router-State-Tree', '[["",{}]]'],
  ['RSC', '1'],
  ['Next-Url', '///'],
  ['X-Nextjs-Data', '1'],
  ['X-Matched-Path', '/admin/users'],
  ['X-Invoke-Status', '500'],
  ['X-Now-Route-Matches', '1=\xff'],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br, gzip'],
  ['Mcp-Protocol-Version', '\xff'],
  ['Mcp-Session-Id', 'x'],
  ['Accept-Language', 'de,'.repeat(2000)],
  ['User-Agent', '\xff'.repeat(1000)],
  ['Cookie', 'a=b; '.repeat(1000)],
]

const pathChange: Change = (request, random) => {
  const parts = request.path.split('/')
  const hostile = random.chance(0.6) ? random.pick(ids) : encodeSafely(random.pick(texts).slice(0, 3000))
  // A changed last part is mostly an id, which leaves the operation what it is.
  const at = request.operation?.path.includes('{') ? parts.length - 1 : 1 + random.upTo(parts.length - 1)
  parts[at] = hostile
  request.path = parts.join('/')
  request.operation = undefined
}

/** Text in a path, with lone surrogates as a wrong encoder writes them. */
function encodeSafely(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/** A pair of request changes by name. */
export const headChanges: Readonly<Record<string, Change>> = {
  path: pathChange,
  'path shape': (request, random) => {
    const shapes = [`/${request.path}`, `${request.path}/`, `/.${request.path}`, `${request.path}/..`]
    request.path = random.pick([...shapes, `${request.path}%20`, request.path.toUpperCase()])
    request.operation = undefined
  },
  method: (request, random) => {
    request.method = random.pick(methods)
    request.operation = undefined
  },
  query: (request, random) => {
    request.query.push(random.pick(queries))
  },
  'query value': (request, random) => {
    const parameters = request.operation?.parameters.filter((parameter) => parameter.in === 'query') ?? []
    const name = random.pickAny(parameters)?.name ?? 'limit'
    const text = random.pick(texts).slice(0, 5000)
    request.query.push(`${name}=${encodeSafely(text)}`)
  },
  credentials: (request, random) => {
    for (const name of ['Authorization', 'X-Auth-Token', 'Cookie']) removeHeader(request, name)
    if (random.chance(0.85)) request.headers.push(random.pick(credentials))
  },
  'two credentials': (request, random) => {
    request.headers.push(random.pick(credentials))
  },
  header: (request, random) => {
    setHeader(request, ...random.pick(junk))
  },
  'header twice': (request, random) => {
    const [name, value] = random.pickAny(request.headers) ?? ['Host', 'x']
    request.headers.push(random.chance(0.5) ? [name, value] : random.pick(junk))
  },
  'long header': (request, random) => {
    request.headers.push(['X-Long', random.chance(0.2) ? hugeText : 'x'.repeat(10_000)])
  },
  'without host': (request, random) => {
    if (random.chance(0.2)) removeHeader(request, 'Host')
  },
}
