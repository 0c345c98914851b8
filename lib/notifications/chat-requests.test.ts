import { expect, it } from 'vitest'
import { chatRequest } from './chat-requests'

const id = '01920000-0000-7000-8000-000000000000'
const delivery = (name: string) => ({
  id,
  userId: id,
  targetId: id,
  config: null,
  notifyUrl: null,
  email: null,
  event: 'job.failed',
  data: { job_id: id, name, reason: 'exit_code', reason_detail: null },
  createdAt: new Date(0),
  attempt: 1,
})
const url = 'https://chat.example.org/hook'
const urlOfJob = `http://localhost:8001/jobs/${id}`
const body = (request: { body: string }): Record<string, unknown> => JSON.parse(request.body)

it('posts a message to Slack whose name cannot contain links and mentions', () => {
  const request = chatRequest({ kind: 'slack', url }, delivery('<!channel> a&b'))
  expect(request.url).toBe(url)
  expect(body(request).text).toMatch(
    new RegExp(`^A job failed: &lt;!channel&gt; a&amp;b\n.+\nhttps?://.+/jobs/${id}$`),
  )
})

it('posts a message to Discord whose name has no effect, and which notifies nobody', () => {
  const request = chatRequest({ kind: 'discord', url }, delivery('@everyone [a](https://evil.example)'))
  expect(body(request)).toMatchObject({
    content: expect.stringContaining('A job failed: \\@everyone \\[a\\]\\(https://evil.example\\)\n'),
    allowed_mentions: { parse: [] },
  })
})

it('puts a message into a room of Matrix once, by the id of the message', () => {
  const room = '!room/1:example.org'
  const config = {
    kind: 'matrix',
    homeserver: 'https://m.example.org/',
    room_id: room,
    access_token: 'a-token',
  } as const
  const request = chatRequest(config, delivery('a <b>name</b>'))
  expect(request).toMatchObject({
    method: 'PUT',
    url: `https://m.example.org/_matrix/client/v3/rooms/!room%2F1%3Aexample.org/send/m.room.message/${id}`,
    headers: { authorization: 'Bearer a-token' },
  })
  // A plain text has no markup.
  expect(body(request)).toEqual({
    msgtype: 'm.notice',
    body: expect.stringContaining('A job failed: a <b>name</b>\n'),
  })
})

it('says in two lines why a job failed and what to change, if that is known, and in one more which files were not kept', () => {
  const diagnosis = {
    cause: 'file_missing',
    summary: 'A file that the program opens does not exist.',
    fault: 'program',
    error: "FileNotFoundError: 'a.csv'",
    rank: null,
    node: null,
    place: { file: 'train.py', line: 3, function: null, code: null, context: [] },
    evidence: [],
    next_step: 'Send a.csv.',
    fix: null,
  } as const
  const told = { ...diagnosis, place: { ...diagnosis.place, context: [] }, evidence: [] }
  const request = chatRequest({ kind: 'slack', url }, { ...delivery('a'), diagnosis: told })
  const lines = `A job failed: a\n${diagnosis.summary} ${diagnosis.error} (\`train.py\`, line 3)\nSend a.csv.\n`
  expect(body(request).text).toBe(lines + urlOfJob)

  const lost = 'Exit code 3. 2 files were not kept.'
  const { data, ...rest } = { ...delivery('a'), diagnosis: told }
  const more = chatRequest({ kind: 'slack', url }, { ...rest, data: { ...data, reason_detail: lost } })
  expect(body(more).text).toBe(`${lines}2 files were not kept.\n${urlOfJob}`)
})

it('makes invisible characters of a name visible', () => {
  const request = chatRequest({ kind: 'slack', url }, delivery('a\u202eb\nc'))
  expect(body(request).text).toContain('a\\u{202e}b\\u{a}c\n')
})
