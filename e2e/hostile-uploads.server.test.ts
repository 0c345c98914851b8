import { gzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { expectProblem } from './expect-problem'
import { bearer, call } from './http-call'
import { countStored, findStoredTexts } from './stored-data'
import { createUser, type TestUser } from './test-users'
import { configText, formBody, formType, type Part, sendParts, submit, uploadParts } from './uploads'

/** Uploads that are rejected independently of their config. */

const code = 'print("never runs")'
const config = configText()
const [codePart, configPart] = uploadParts(code, config) as [Part, Part]
const mebibyte = 1024 * 1024
const nothing = { jobs: 0, projects: 0, keys: 0 }

let person: TestUser
beforeAll(async () => {
  person = await createUser({ name: 'uploads' })
})

const partCases: { name: string; parts: Part[]; status: number; message: RegExp }[] = [
  { name: 'no code', parts: [configPart], status: 422, message: /code/ },
  { name: 'no config', parts: [codePart], status: 422, message: /config_file/ },
  { name: 'no parts', parts: [], status: 422, message: /code.*config_file/ },
  { name: 'code twice', parts: [codePart, codePart, configPart], status: 422, message: /code.*twice/ },
  {
    name: 'config twice',
    parts: [codePart, configPart, configPart],
    status: 422,
    message: /config_file.*twice/,
  },
  {
    name: 'an extra part',
    parts: [codePart, configPart, { name: 'evil', content: 'x' }],
    status: 422,
    message: /evil/,
  },
  {
    name: 'a part named __proto__',
    parts: [{ name: '__proto__', content: 'x' }, codePart, configPart],
    status: 422,
    message: /part/,
  },
  {
    name: 'a part with NUL in its name',
    parts: [{ name: 'co\0de', content: code }, configPart],
    status: 400,
    message: /body is invalid/,
  },
  { name: 'empty code', parts: uploadParts('', config), status: 422, message: /code.*empty/ },
  { name: 'an empty config', parts: uploadParts(code, ''), status: 422, message: /config_file.*empty/ },
  {
    name: 'code that is not UTF-8',
    parts: uploadParts(Buffer.from([0x70, 0xff, 0xfe]), config),
    status: 422,
    message: /code.*UTF-8/,
  },
  {
    name: 'a config that is not UTF-8',
    parts: uploadParts(code, Buffer.from([0x61, 0xc3, 0x28])),
    status: 422,
    message: /config_file.*UTF-8/,
  },
  {
    name: 'code over 1 MiB',
    parts: uploadParts(Buffer.alloc(mebibyte + 1, '#'), config),
    status: 413,
    message: /code/,
  },
  {
    name: 'a config over 1 MiB',
    parts: uploadParts(code, Buffer.alloc(mebibyte + 1, '#')),
    status: 413,
    message: /config_file/,
  },
  {
    name: 'base64 inside',
    parts: [{ ...codePart, headers: ['Content-Transfer-Encoding: base64'] }, configPart],
    status: 415,
    message: /without one/,
  },
]

for (const { name, parts, status, message } of partCases) {
  it(`an upload with ${name} is rejected`, async () => {
    expectProblem(await sendParts(person, parts), status, message)
    expect(await countStored(person.handle)).toEqual(nothing)
  })
}

const good = () => formBody([codePart, configPart])

const bodyCases: {
  name: string
  type?: string
  body: () => Buffer | string
  headers?: Record<string, string>
  status: number
  message: RegExp
}[] = [
  {
    name: 'JSON',
    type: 'application/json',
    body: () => JSON.stringify({ code, config }),
    status: 415,
    message: /multipart/,
  },
  {
    name: 'a plain form',
    type: 'application/x-www-form-urlencoded',
    body: () => 'code=x&config_file=y',
    status: 415,
    message: /multipart/,
  },
  { name: 'without a type', body: good, status: 415, message: /multipart/ },
  {
    name: 'multipart/mixed',
    type: formType.replace('form-data', 'mixed'),
    body: good,
    status: 415,
    message: /multipart/,
  },
  { name: 'without a boundary', type: 'multipart/form-data', body: good, status: 400, message: /boundary/ },
  {
    name: 'with a different boundary',
    type: 'multipart/form-data; boundary=other',
    body: good,
    status: 400,
    message: /boundary|broken/,
  },
  {
    name: 'cut off',
    type: formType,
    body: () => good().subarray(0, -20),
    status: 400,
    message: /broken|ends before/,
  },
  {
    name: 'of noise',
    type: formType,
    body: () => Buffer.alloc(5000, '\x01\xff'),
    status: 400,
    message: /broken|ends before/,
  },
  { name: 'empty', type: formType, body: () => '', status: 400, message: /broken|ends before/ },
  {
    name: 'compressed',
    type: formType,
    body: () => gzipSync(good()),
    headers: { 'content-encoding': 'gzip' },
    status: 415,
    message: /uncompressed/,
  },
  {
    name: 'too large',
    type: formType,
    body: () => formBody([{ ...codePart, content: Buffer.alloc(8 * mebibyte) }, configPart]),
    status: 413,
    message: /bytes/,
  },
]

for (const { name, type, body, headers = {}, status, message } of bodyCases) {
  it(`an upload that is ${name} is rejected`, async () => {
    const answer = await call('/api/submit?wait=false', {
      method: 'POST',
      headers: { ...bearer(person.token), ...(type ? { 'content-type': type } : {}), ...headers },
      body: body(),
    })
    expectProblem(answer, status, message)
    expect(await countStored(person.handle)).toEqual(nothing)
  })
}

it('10,000 parts are rejected', async () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `part${i}`, content: 'x' }))
  expectProblem(await sendParts(person, many), 422, /part/)
  const empty = Array.from({ length: 10_000 }, () => ({ name: 'code', content: '', filename: null }))
  expectProblem(await sendParts(person, empty), 422, /code/)
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('the headers and query of an upload are validated too', async () => {
  const parts = [codePart, configPart]
  expectProblem(await sendParts(person, parts, { query: '?wait=soon' }), 400, /wait/)
  for (const key of ['', 'with space', 'x'.repeat(256), 'ü']) {
    const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') }
    expectProblem(await sendParts(person, parts, { headers }), 400, /Idempotency-Key/)
  }
  expect(await countStored(person.handle)).toEqual(nothing)
})

it('rejected uploads use no quota, and the token is not stored', async () => {
  const answer = await sendParts(person, [codePart, configPart])
  expect([answer.status, answer.headers['ratelimit-remaining']]).toEqual([202, '4'])
  expect(await findStoredTexts([person.token])).toEqual([])
})

it('Python with a syntax error runs, and its traceback is the result', async () => {
  const author = await createUser({ name: 'syntax' })
  const id = await submit(author, 'def broken(:\n', config, { wait: true })
  const result = await author.client.jobs.result(id)
  expect(result).toMatchObject({ status: 'failed', reason: 'exit_code', exit_code: 1 })
  expect(result.stderr).toContain('SyntaxError')
})

it('the same Idempotency-Key returns the same job, and never another one', async () => {
  const author = await createUser({ name: 'keys' })
  const headers = { 'idempotency-key': 'a-key-of-the-tests' }
  const send = (text: string) => sendParts(author, uploadParts(text, config), { headers })
  const ids = (await Promise.all([send(code), send(code), send(code)])).map(
    ({ text }) => JSON.parse(text).job_id,
  )
  expect(new Set(ids).size).toBe(1)
  expectProblem(await send('print("another")'), 422, /Idempotency-Key/)
  expect(await countStored(author.handle)).toEqual({ jobs: 1, projects: 1, keys: 1 })
})
