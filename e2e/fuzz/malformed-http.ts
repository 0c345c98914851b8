import type { Random } from './random'

/** Bytes that are no HTTP request, or one that only a careless parser reads. */
const heads = [
  '',
  '\r\n\r\n',
  'GET\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/0.9\r\n\r\n',
  'GET  /api/jobs  HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/jobs HTTP/1.1\nHost: x\n\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\n Host: x\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost : x\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nX\0: 1\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n',
  'GET /api/\0jobs HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://evil.example/api/jobs HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET //evil.example/api/jobs HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET ///api/jobs HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /\\evil.example HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET ? HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc',
  'POST /api/tokens HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \0\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n',
  'GET /api/jobs HTTP/1.1\r\nHost: x\r\nConnection: close, Host\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-OpenSSH_9.2\r\n',
  'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\nJUNK',
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(5000)}\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\n${'a'.repeat(100_000)}: b\r\n\r\n`,
] as const

export function malformedHttp(random: Random): Buffer {
  if (random.chance(0.15))
    return Buffer.from(Array.from({ length: random.upTo(2000) }, () => random.upTo(256)))
  const head = Buffer.from(random.pick(heads), 'latin1')
  if (random.chance(0.3) && head.length > 0) head[random.upTo(head.length)] = random.upTo(256)
  return random.chance(0.2) ? head.subarray(0, random.upTo(head.length + 1)) : head
}
