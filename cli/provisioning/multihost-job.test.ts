import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../program'
import { detail, fakeContext, jobId } from '../testing/fake-context'
import { multihostJob, readExtraArgs } from './multihost-job'

/** The command of document 004 (docs/documents.md). */

const command = 'bash setup.sh && python3 MaxText/train.py MaxText/configs/base.yml run_name=first'
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-multihost-'))
  await writeFile(join(directory, 'setup.sh'), 'true\n')
})
afterEach(() => rm(directory, { recursive: true }))

const copy = {
  url: `s3://research/gpuq/${jobId}`,
  log_url: `s3://research/gpuq/${jobId}/log.txt`,
  state: 'waiting',
  attempts: 0,
  problem: null,
  next_try_at: null,
  stored_at: null,
}

interface Behaviour {
  bucket?: object | null
  refusal?: object | null
  /** Submissions that a proxy answers with 502. */
  unanswered?: number
}

/** A server that accepts everything, and the configs and idempotency keys that it received. */
function server({ bucket = copy, refusal = null, unanswered = 0 }: Behaviour = {}) {
  const configs: unknown[] = []
  const keys: (string | null)[] = []
  const uploads: string[] = []
  const context = fakeContext(async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/archives' && request.method === 'GET')
      return Response.json({ max_bytes: 1 << 30, max_entries: 1000 })
    if (pathname === '/api/submit/check')
      return refusal ? Response.json(refusal, { status: 422 }) : new Response(null, { status: 204 })
    if (pathname === '/api/archives') uploads.push(pathname)
    if (pathname === '/api/archives') return Response.json({ archive: 'a'.repeat(64), missing: [] })
    if (pathname === '/api/submit') {
      const file = (await request.formData()).get('config_file')
      configs.push(parse(file instanceof Blob ? await file.text() : String(file)))
      keys.push(request.headers.get('idempotency-key'))
      if (keys.length <= unanswered) return new Response('', { status: 502 })
      const nothing = {
        stdout: '',
        stderr: '',
        results: [],
        exit_code: null,
        reason: null,
        reason_text: null,
      }
      const accepted = { ...nothing, result_file: null, truncated: false, deduplicated: false }
      return Response.json({ job_id: jobId, status: 'pending', ...accepted })
    }
    return Response.json(detail({ bucket }))
  })
  return { context, configs, keys, uploads }
}

/** The options that the program gives to the command. */
async function optionsOf(...words: string[]): Promise<Parameters<typeof multihostJob>[1]> {
  const program = createProgram()
  const seen = vi.fn()
  program.commands.find((one) => one.name() === 'multihost-job')?.action((options: object) => seen(options))
  await program.parseAsync(['multihost-job', ...words], { from: 'user' })
  return { ...seen.mock.calls[0]?.[0], SCRIPT_DIR: directory }
}

const printed = {
  NUM_SLICES: '2',
  RUN_NAME: 'first',
  BUCKET_NAME: 'research',
  CQR_EXTRA_ARGS: '--reserved',
  COMMAND: command,
}

describe('gpuq multihost-job', () => {
  it.each([
    ['--X=value', Object.entries(printed).map(([name, value]) => `--${name}=${value}`)],
    ['--X value', Object.entries(printed).flatMap(([name, value]) => [`--${name}`, value])],
  ])('accepts the options as %s, and prints where the logs are', async (_, words) => {
    const { context, configs } = server()
    expect(await multihostJob(context, await optionsOf(...words))).toBe(0)
    expect(configs).toEqual([
      expect.objectContaining({
        command,
        instance_count: 2,
        run_name: 'first',
        bucket: 'research',
        pool: 'reserved',
        fresh_nodes: true,
        archive: 'a'.repeat(64),
      }),
    ])
    expect(configs[0]).not.toHaveProperty('provision_args')
    expect(context.written.out).toBe(
      `live log: http://gpuq.test/jobs/${jobId}\nfinal log: s3://research/gpuq/${jobId}/log.txt\n`,
    )
  })

  it('needs only the command: one node of the default pool', async () => {
    const { context, configs } = server({ bucket: null })
    await multihostJob(context, await optionsOf('--COMMAND', 'true', '--json'))
    expect(configs[0]).toMatchObject({ command: 'true', instance_count: 1, fresh_nodes: true })
    for (const key of ['pool', 'run_name', 'bucket', 'provision_args', 'max_retries'])
      expect(configs[0]).not.toHaveProperty(key)
    expect(JSON.parse(context.written.out)).toMatchObject({
      job_id: jobId,
      bucket_url: null,
      final_log: `http://gpuq.test/api/results/${jobId}?format=text`,
    })
  })

  it('sends a submission again whose answer is lost, as the same job', async () => {
    const { context, keys } = server({ unanswered: 1 })
    const waiting = { ...context, sleep: async () => {} }
    expect(await multihostJob(waiting, await optionsOf('--COMMAND', 'true'))).toBe(0)
    expect(keys).toEqual([expect.stringMatching(/./), keys[0]])
  })

  it('names its own options in errors, before the directory is sent', async () => {
    const message = 'this gpuq cannot start nodes on demand: remove this key, or fresh_nodes: true'
    const problem = (path: string) => ({
      status: 422,
      code: 'invalid_fields',
      title: 'Invalid fields',
      detail: 'x',
      errors: [{ path, message }],
    })
    const options = await optionsOf('--COMMAND', 'true', '--CQR_EXTRA_ARGS', '--reserved')
    for (const [key, option] of [
      ['pool', '--CQR_EXTRA_ARGS="--reserved"'],
      ['fresh_nodes', 'multihost-job'],
      ['bucket', '--BUCKET_NAME'],
      ['provision_args', '--CQR_EXTRA_ARGS'],
    ] as const) {
      const { context, uploads } = server({ refusal: problem(key) })
      await expect(multihostJob(context, options)).rejects.toThrow(
        `${option}: this gpuq cannot start nodes on demand: remove this option, or multihost-job`,
      )
      expect(uploads).toEqual([])
    }
  })
})

describe('--CQR_EXTRA_ARGS', () => {
  it.each([
    ['', {}],
    ['--reserved', { pool: 'reserved' }],
    ['--best-effort', { pool: 'best-effort' }],
    [
      `--network=research --labels 'team=a' --best-effort`,
      { pool: 'best-effort', provision_args: ['--network=research', '--labels=team=a'] },
    ],
    ['--internal-ips', { provision_args: ['--internal-ips'] }],
    ['--labels=x=$(id)', { provision_args: ['--labels=x=$(id)'] }],
  ])('%j is read', (text, expected) => {
    expect(readExtraArgs(text)).toEqual(expected)
  })

  it.each([
    ['reserved', '"reserved" is not an option'],
    ['--network=a b', '"b" is not an option'],
    ['--reserved --best-effort', 'exclude each other'],
    [`--network='a`, 'no closing quote'],
  ])('%j is refused', (text, problem) => {
    expect(() => readExtraArgs(text)).toThrow(problem)
  })
})
