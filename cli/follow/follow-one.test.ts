import { expect, it } from 'vitest'
import type { Client } from '@/lib/http/client/client'
import { detail, jobId } from '../testing/fake-context'
import { followOne } from './follow-one'

const line = (text: string) => JSON.stringify({ type: 'stdout', t: '2026-01-01T00:00:00Z', text })
const sse = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`
const job = (changes: object) => sse('job', JSON.stringify(detail(changes)))
const gpus = [{ uuid: 'a', index: 3, model: 'm', simulated: true, milli: 1000 }]

/** Follows a job whose events are these, and returns what was logged and written. */
async function follow(...events: string[]) {
  const seen: string[] = []
  const record = async (text: string) => {
    seen.push(text.replace(jobId, 'ID'))
  }
  const log = { note: record, warn: record, detail: record, close: async () => {} }
  const client = { jobs: { events: async () => new Response(events.join('')) } } as unknown as Client
  const sink = {
    started: async ({ attempt }: { attempt: number }) => record(`open ${attempt}`),
    write: async ({ text }: { text: string }) => record(text),
    ended: async () => record('close'),
  }
  await followOne(jobId, { client, log, sinks: [sink], signal: new AbortController().signal })
  return seen
}

it('logs the placement before the output, and the end after it', async () => {
  const seen = await follow(
    sse('output', line('early')),
    job({ status: 'running', name: 'a.py', gpus, completed_at: null }),
    sse('output', line('later')),
    job({ status: 'failed', name: 'a.py', gpus, reason_text: 'Exit code 3.' }),
    sse('end', '{}'),
  )
  expect(seen).toEqual([
    'job ID (a.py) started on GPU 3 of node-1.',
    'open 1',
    'early\n',
    'later\n',
    'close',
    'job ID (a.py) failed after 1 min 30 s: Exit code 3.',
  ])
})

it('logs every placement of a retried job', async () => {
  const seen = await follow(
    job({ status: 'running', gpus, completed_at: null }),
    sse('reset', '{}'),
    job({ status: 'pending', attempt: 1, completed_at: null }),
    job({ status: 'running', attempt: 2, gpus: [], completed_at: null }),
    job({ status: 'completed', attempt: 2 }),
    sse('end', '{}'),
  )
  expect(seen.filter((text) => /started|retried|open/.test(text))).toEqual([
    'job ID (baseline) started on GPU 3 of node-1.',
    'open 1',
    'job ID is retried.',
    'job ID (baseline) started on node-1 (attempt 2).',
    'open 2',
  ])
})

it('logs the end of a job that never started, without a placement', async () => {
  const cancelled = {
    status: 'cancelled',
    started_at: null,
    reason_text: 'The job was cancelled by its owner.',
  }
  expect(await follow(job(cancelled), sse('end', '{}'))).toEqual([
    'close',
    'job ID (baseline) cancelled: The job was cancelled by its owner.',
  ])
})
