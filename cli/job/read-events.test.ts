import { expect, it } from 'vitest'
import { readEvents } from './follow-job'

async function eventsOf(text: string, size: number) {
  const bytes = Buffer.from(text)
  async function* parts() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const events = []
  for await (const event of readEvents(parts())) events.push(event)
  return events
}

const stream = `retry: 1000

id: 1:20
event: output
data: {"a":"ž😀"}
data: two

: still here

event: job
data:no space
`

it('reads the same events however the stream is split into chunks', async () => {
  const expected = [
    { event: 'output', data: '{"a":"ž😀"}\ntwo', id: '1:20' },
    { event: 'job', data: 'no space' },
  ]
  for (const size of [1, 2, 7, 1000]) expect(await eventsOf(`${stream}\n`, size)).toEqual(expected)
  expect(await eventsOf(`${stream}\n`.replaceAll('\n', '\r\n'), 3)).toEqual(expected)
})

it('drops an incomplete event at the end of the stream', async () => {
  expect(await eventsOf(stream, 5)).toHaveLength(1)
})
