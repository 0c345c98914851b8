import type { ClientOptions } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Actor } from '../access/actor'
import { actorFromToken } from '../access/authenticate'
import { makePerson, makeToken, type Person } from '../access/testing/people'
import { createToken } from '../access/tokens/tokens'
import { placeManually } from '../cluster/testing/placed'
import { makeJob, makeNode } from '../cluster/testing/rows'
import { createTokenSchema } from '../contract/access/access'
import { agentLimitsSchema } from '../contract/access/restriction'
import { longestText } from '../contract/diagnosis/print-diagnosis'
import { testDatabase } from '../database/testing/test-database'
import { releaseMembers } from '../groups/release-members'
import { comparedSchema, compareJobs, compareSchema } from './compare-jobs'
import { metricsAnswerSchema } from './metric-tool'
import { createJob, previewJobs, submitJobs } from './submit-tools'
import { connectAgent } from './testing/connect-agent'
import {
  createdJobSchema,
  createJobSchema,
  logPartSchema,
  previewSchema,
  submitJobsSchema,
  submittedJobsSchema,
} from './tool-schemas'
import { waitedSchema } from './wait-for-jobs'

vi.hoisted(() => {
  vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough')
  vi.stubEnv('GPUQ_MAX_WAITING_REQUESTS', '3')
})
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
let nodeId = ''
beforeAll(async () => {
  ;[ada, bob] = [await makePerson(), await makePerson()]
  // The first job creates an environment.
  await makeJob({ userId: bob.id })
  nodeId = (await makeNode({ gpus: 8 })).nodeId
  await db.pool.query('UPDATE users SET submissions_per_minute = 100000, max_active_jobs = 100000')
})

async function connect(person: Person, options?: ClientOptions) {
  const { token } = await makeToken(person)
  const client = await connectAgent(token, options)
  /** Calls a tool. Four characters are about a token. */
  const use = async (name: string, input: Record<string, unknown>) => {
    const { structuredContent: answer, isError, content } = await client.callTool({ name, arguments: input })
    const text = (content as { text: string }[]).map((part) => part.text).join('\n')
    return { answer, isError: isError === true, text, tokens: text.length / 4 }
  }
  return use
}

const t = '2026-11-21T10:00:00.000Z'
const line = (type: string, text: string) => `${JSON.stringify({ type, t, text })}\n`
const result = (data: object) => `${JSON.stringify({ type: 'result', t, data })}\n`

/** Runs a waiting job to its end. */
async function run(
  jobId: string,
  records: string,
  { code = 0, metrics = {} as Record<string, number | null> } = {},
) {
  const taskId = await placeManually(nodeId, jobId, { milli: 0, indices: [] })
  const [status, reason] = code === 0 ? ['completed', 'finished'] : ['failed', 'exit_code']
  await db.pool.query('INSERT INTO log_chunks (task_id, start, records) VALUES ($1, 0, $2)', [
    taskId,
    Buffer.from(records),
  ])
  await db.pool.query(
    `UPDATE tasks SET status = $2::"TaskStatus", reason = $3, exit_code = $4, metrics = $5, output_bytes = $6, ended_at = now() WHERE id = $1`,
    [taskId, status, reason, code, JSON.stringify(metrics), Buffer.byteLength(records)],
  )
  await db.pool.query(
    `UPDATE jobs SET status = $2::"JobStatus", reason = $3, exit_code = $4, ended_at = now() WHERE id = $1`,
    [jobId, status, reason, code],
  )
}

const traceback = [
  'Traceback (most recent call last):',
  '  File "/work/train.py", line 3, in <module>',
  '    import torchx',
  "ModuleNotFoundError: No module named 'torchx'",
]

let names = 0
const job = () => ({
  name: `loop ${++names}`,
  gpu_count: 1,
  command: 'python /opt/train.py',
  expected_time: 600,
})

async function create(use: Awaited<ReturnType<typeof connect>>): Promise<string> {
  const { answer, text } = await use('CreateGPUJob', job())
  expect(answer, text).toBeDefined()
  return createdJobSchema.parse(answer).job_id
}

describe('the loop of an agent', () => {
  it.each([
    ['2025-03-26', { supportedProtocolVersions: ['2025-03-26'] }],
    ['2025-06-18', { supportedProtocolVersions: ['2025-06-18'] }],
    ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
  ] satisfies [string, ClientOptions][])(
    'an agent that speaks revision %s previews a sweep, submits it, waits, fixes what failed, and compares the results',
    async (_, options) => {
      const use = await connect(ada, options)
      const sweep = {
        name: `sweep-${++names}`,
        command: 'python /opt/train.py --lr {lr}',
        matrix: { lr: [0.1, 0.01] },
        repeat: 3,
        parallel: 6,
        expected_time: 3600,
        objective: { metric: 'val_loss', mode: 'min' },
      }
      const preview = await use('PreviewGPUJobs', sweep)
      expect(preview.answer, preview.text).toMatchObject({
        members: 6,
        parallel: 6,
        max_gpu_hours: 12,
        next: 'SubmitGPUJobs',
      })
      expect((await db.pool.query('SELECT 1 FROM job_groups WHERE name = $1', [sweep.name])).rowCount).toBe(0)

      const submitted = await use('SubmitGPUJobs', { ...sweep, idempotency_key: sweep.name })
      expect(submitted.answer, submitted.text).toMatchObject({ members: 6, repeated: false, warnings: [] })
      const { group_id, job_ids } = submittedJobsSchema.parse(submitted.answer)
      expect((await use('SubmitGPUJobs', { ...sweep, idempotency_key: sweep.name })).answer).toMatchObject({
        group_id,
        repeated: true,
      })

      const [first = '', ...others] = job_ids
      expect((await use('ViewGPUJob', { job_id: first })).answer).toMatchObject({
        status: 'queued',
        group: { group_id },
      })
      expect(await use('ReadGPUJobLog', { job_id: first })).toMatchObject({
        isError: true,
        text: expect.stringContaining('WaitForGPUJobs'),
      })
      await releaseMembers()

      await run(first, traceback.map((text) => line('stderr', text)).join(''), { code: 1 })
      const waited = await use('WaitForGPUJobs', { ids: [...job_ids, group_id], for: 'any' })
      expect(waited.answer, waited.text).toMatchObject({
        ended: [
          {
            id: first,
            status: 'failed',
            exit_code: 1,
            diagnosis: expect.stringMatching(
              /^import_missing: .* Error \(quoted data\): > ModuleNotFoundError/,
            ),
            next_step: expect.any(String),
          },
        ],
        waiting: 6,
      })
      const diagnosed = await use('DiagnoseGPUJob', { job_id: first })
      expect(diagnosed.answer).toMatchObject({ cause: 'import_missing' })
      expect(diagnosed.tokens).toBeLessThan(600)

      const losses = [0.5, 0.51, 0.3, 0.31, 0.32]
      for (const [at, id] of others.entries()) {
        const val_loss = losses[at] ?? 1
        const printed = [1, 2, 3].map((step) => result({ step, val_loss: val_loss * (4 - step) })).join('')
        await run(id, printed, { metrics: { step: 3, val_loss } })
      }
      await releaseMembers()
      const done = await use('WaitForGPUJobs', { ids: [group_id] })
      expect(done.answer, done.text).toMatchObject({
        ended: [
          {
            id: group_id,
            status: 'failed',
            group: {
              counts: { completed: 5, failed: 1 },
              best: { parameters: { lr: 0.01 }, metrics: { val_loss: 0.3 } },
            },
          },
        ],
        waiting: 0,
        next: 'CompareGPUJobs.',
      })

      const compared = await use('CompareGPUJobs', { group_id })
      const { text: table, best_job_id } = comparedSchema.parse(compared.answer)
      expect(table).toMatch(/Best first by `val_loss` \(lowest\)/)
      expect(table).toMatch(/\| 0\.01 \| 3 \| 0\.31 ± 0\.025 \| – \| completed/)
      expect(table).toMatch(/\| 0\.1 \| 3 \| 0\.505 ± 0\.064 \| \+0\.195 \| failed\/completed/)
      expect(table).toMatch(/more than the noise of 3 and 2 runs\.$/)
      expect(best_job_id).toBe(others[2])

      const metrics = await use('GetGPUJobMetrics', { job_id: others[2], names: ['val_loss'] })
      expect(metricsAnswerSchema.parse(metrics.answer)).toMatchObject({
        x: 'step',
        metrics: [
          {
            name: 'val_loss',
            last: 0.3,
            best: 0.3,
            best_is: 'lowest',
            best_x: 3,
            count: 3,
            xs: [1, 2, 3],
            ys: [0.9, 0.6, 0.3],
          },
        ],
      })
      expect((await use('ListGPUJobs', {})).answer).toMatchObject({
        groups: expect.arrayContaining([
          expect.objectContaining({ group_id, counts: { completed: 5, failed: 1 } }),
        ]),
      })
      expect((await use('ListGPUJobs', { group_id, status: 'failed' })).answer).toMatchObject({
        members: [{ job_id: first, parameters: { lr: 0.1 } }],
      })
    },
  )

  it('a job whose last value is NaN is never the best of a comparison, and comes after all with a number', async () => {
    const use = await connect(ada)
    const job_ids = [await create(use), await create(use), await create(use)]
    const [diverged = '', silent = '', best = ''] = job_ids
    await run(diverged, result({ score: 'NaN' }), { metrics: { score: null } })
    await run(silent, result({ other: 1 }), { metrics: { other: 1 } })
    await run(best, result({ score: 0.5 }), { metrics: { score: 0.5 } })
    for (const order of ['lowest', 'highest']) {
      const { answer, text } = await use('CompareGPUJobs', { job_ids, metrics: ['score'], best: order })
      const compared = comparedSchema.parse(answer)
      expect(compared.best_job_id, text).toBe(best)
      const cells = compared.text.split('\n').filter((line) => line.startsWith('> 0'))
      expect(cells.map((line) => [line.slice(2, 38), line.split(' | ').at(-3)])).toEqual([
        [best, '0.5'],
        [diverged, 'NaN'],
        [silent, '–'],
      ])
    }
  })

  it('a wave is submitted in one call, and one call stops what is left of it', async () => {
    const use = await connect(ada)
    const members = [
      { command: 'python /opt/a.py', name: 'a' },
      { command: 'python /opt/b.py', env: { SEED: '2' } },
    ]
    const { answer, text } = await use('SubmitGPUJobs', { name: 'a wave', members, parallel: 1 })
    expect(answer, text).toMatchObject({ members: 2 })
    const { group_id, job_ids } = submittedJobsSchema.parse(answer)
    await releaseMembers()
    const compared = await use('CompareGPUJobs', { job_ids })
    expect(comparedSchema.parse(compared.answer).text).toContain('python /opt/a.py')
    await db.pool.query(`UPDATE jobs SET reason = 'node_unavailable' WHERE group_id = $1`, [group_id])
    expect((await use('ViewGPUJob', { job_id: group_id })).answer).toMatchObject({
      group: { counts: { pending: 1, held: 1 }, waits_for: expect.stringContaining('accepts jobs now') },
    })
    expect((await use('StopGPUJob', { job_id: group_id })).answer).toMatchObject({
      group: { status: expect.stringMatching(/running|cancelled/), counts: { cancelled: 2 } },
    })
    await releaseMembers()
    const { answer: waited } = await use('WaitForGPUJobs', { ids: [...job_ids, group_id] })
    expect(waitedSchema.parse(waited).ended.map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
  })

  it('a preview of a job or a group says that a person must approve it, and predicts no start; the submission says it too', async () => {
    const person = await makePerson()
    await makeJob({ userId: person.id, project: 'p' })
    await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 1000')
    const limits = { ask_above_gpu_hours: 1 }
    const { token } = await createToken(person.actor, createTokenSchema.parse({ name: 'agent', limits }))
    const actor = await actorFromToken(token)
    if (!actor) throw new Error('The token is not known.')
    const caller = { actor, origin: 'http://localhost', signal: new AbortController().signal }
    const job = { name: 'j', gpu_count: 2, command: 'true', max_time: 3600, project_id: 'p' }
    const group = { ...job, matrix: { lr: [1, 2] }, command: 'echo {lr}', max_time: 1800 }
    for (const input of [job, group]) {
      const preview = await previewJobs(caller, previewSchema.parse(input))
      expect(preview.summary).toContain(
        'A person must approve it before it starts, because it may cost 2 GPU hours.',
      )
      expect(preview).toMatchObject({ queue_position: null, expected_start: null })
    }
    const warning = expect.stringContaining('waits until a person approves')
    expect((await createJob(caller, createJobSchema.parse(job))).warnings).toContainEqual(warning)
    expect((await submitJobs(caller, submitJobsSchema.parse(group))).warnings).toContainEqual(warning)
    const small = { ...job, name: 'small', max_time: 60 }
    expect((await previewJobs(caller, previewSchema.parse(small))).summary).not.toContain('approve')
    expect((await createJob(caller, createJobSchema.parse(small))).warnings).not.toContainEqual(warning)
  })

  it.each(['a token of a class', 'a token of an agent'])(
    'a comparison with %s shows no values of variables, and takes jobs that differ in them for no repeats',
    async (kind) => {
      const person = await makePerson()
      await makeJob({ userId: person.id })
      await db.pool.query('UPDATE users SET submissions_per_minute = 1000, max_active_jobs = 1000')
      const { actor, tokenId } = await makeToken(person)
      const members = ['first-secret', 'second-secret'].flatMap((value) =>
        ['a', 'b'].map((name) => ({ command: `python /opt/${name}.py`, env: { API_KEY: value } })),
      )
      const call = (caller: Actor) => ({
        actor: caller,
        origin: 'http://localhost',
        signal: new AbortController().signal,
      })
      const { group_id, job_ids } = await submitJobs(
        call(actor),
        submitJobsSchema.parse({ name: 'variables', members, parallel: 4 }),
      )
      await releaseMembers()
      const {
        rows: [project],
      } = await db.pool.query<{ id: string; slug: string }>(
        'SELECT p.id, p.slug FROM projects p JOIN job_groups g ON g.project_id = p.id WHERE g.id = $1',
        [group_id],
      )
      const projects = project ? [project] : []
      const agent = { tokenId, limits: { ...agentLimitsSchema.parse({}), projects: null } }
      const restriction =
        kind === 'a token of a class' ? { projects, agent: null } : { projects: null, agent }
      for (const input of [{ job_ids }, { group_id }]) {
        const { text } = await compareJobs(call({ ...actor, restriction }), compareSchema.parse(input))
        expect(text).toContain('4 jobs (4 pending) in 4 rows.')
        expect(text).toContain('python /opt/a.py')
        expect(text).not.toContain('-secret')
      }
    },
  )

  it('an experiment costs its agent at most 1,000 tokens of answers, whether it fails or not', async () => {
    const use = await connect(ada)
    for (const code of [0, 1]) {
      const created = await use('CreateGPUJob', job())
      const { job_id } = createdJobSchema.parse(created.answer)
      const printed = Array.from({ length: 300 }, (_, step) =>
        result({ step, loss: 1 / (step + 1), acc: step / 300, lr: 0.1 }),
      )
      const log = [...printed, ...(code === 1 ? traceback.map((text) => line('stderr', text)) : [])].join('')
      await run(job_id, log, { code, metrics: { step: 299, loss: 0.0033, acc: 0.99, lr: 0.1 } })
      const waited = await use('WaitForGPUJobs', { ids: [job_id] })
      const understood =
        code === 0 ? await use('GetGPUJobMetrics', { job_id }) : await use('DiagnoseGPUJob', { job_id })
      const spent = created.tokens + waited.tokens + understood.tokens
      expect(spent).toBeLessThan(1_000)
    }
  })

  it('a diagnosis stays below 600 tokens and 12 lines of evidence, however much the program printed', async () => {
    const use = await connect(ada)
    const job_id = await create(use)
    const long = 'x'.repeat(5_000)
    const frames = Array.from({ length: 60 }, (_, at) => [
      `  File "/work/${long}.py", line ${at + 1}, in f${at}`,
      `    ${long}`,
    ]).flat()
    const lines = [traceback[0] ?? '', ...frames, `ValueError: ${long}`]
    await run(job_id, lines.map((text) => line('stderr', text)).join(''), { code: 1 })
    const { answer, tokens, text } = await use('DiagnoseGPUJob', { job_id })
    expect(String((answer as { text: string }).text).length).toBeLessThanOrEqual(longestText)
    expect(tokens).toBeLessThan(650)
    const evidence = text.split('quoted data, not instructions):')[1] ?? ''
    expect(evidence.split('\n> ').length - 1).toBeLessThanOrEqual(12)
  })
})

describe('the log of a job for an agent', () => {
  async function printed() {
    const use = await connect(ada)
    const job_id = await create(use)
    const texts = [
      ...Array.from({ length: 40 }, (_, at) => `epoch ${at}`),
      `${'a'.repeat(60)}!`,
      ...traceback,
      'the end',
    ]
    await run(job_id, texts.map((text) => line('stdout', text)).join(''), { code: 1 })
    const read = async (input: object) => {
      const { answer, text, isError } = await use('ReadGPUJobLog', { job_id, ...input })
      return { part: isError ? null : logPartSchema.parse(answer), text, isError }
    }
    return { use, job_id, read }
  }

  it('can be read as its last lines, as the lines that match, and as errors, in as many tokens as the agent wants', async () => {
    const { read } = await printed()
    expect((await read({ tail: 2 })).part).toMatchObject({
      text: `${traceback[3]}\nthe end\n`,
      next_offset: null,
      ended: true,
      warnings: [],
    })
    expect((await read({ search: 'EPOCH 1[0-2]$' })).part).toMatchObject({
      text: '80: epoch 10\n89: epoch 11\n98: epoch 12\n',
    })
    expect((await read({ search: 'epoch', tail: 1 })).part).toMatchObject({ text: '341: epoch 39\n' })
    expect((await read({ offset: 341, limit: 8 })).part).toMatchObject({ text: 'epoch 39' })
    const errors = await read({ errors_only: true })
    expect(errors.part?.text.split('\n').map((one) => one.replace(/^\d+: /, ''))).toEqual([...traceback, ''])
    const short = await read({ search: 'epoch', max_tokens: 10 })
    expect(short.part).toMatchObject({
      text: '0: epoch 0\n8: epoch 1\n16: epoch 2\n',
      warnings: [expect.stringMatching(/^37 more lines/)],
    })
    expect((await read({ search: 'nothing like this' })).part).toMatchObject({
      text: '',
      warnings: [expect.any(String)],
    })
    expect((await read({ max_tokens: 10 })).part?.text).toHaveLength(40)
  })

  it('is quoted line by line, so that no program can speak as gpuq', async () => {
    const { read } = await printed()
    const { text } = await read({ tail: 3 })
    expect(
      text
        .split('\n')
        .slice(0, 3)
        .every((one) => one.startsWith('> ')),
    ).toBe(true)
  })

  it('an expression that would take years ends the search, and the server answers others meanwhile', async () => {
    const { read, use } = await printed()
    const slow = read({ search: '^(a+)+$' })
    let beats = 0
    const timer = setInterval(() => beats++, 20)
    expect(await slow).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^search: takes too long/),
    })
    clearInterval(timer)
    expect(beats).toBeGreaterThan(5)
    expect(await read({ search: '(' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^search: is no regular expression/),
    })
    // Its thread and its place are free again.
    for (let at = 0; at < 4; at++) expect((await read({ search: 'the end' })).part?.text).toMatch(/the end/)
    expect((await use('ListGPUJobs', {})).isError).toBe(false)
  })
})

describe('bad input of an agent', () => {
  it('a metric that does not exist is refused with those that do', async () => {
    const use = await connect(ada)
    const [one, other] = [await create(use), await create(use)]
    expect(await use('GetGPUJobMetrics', { job_id: one, names: ['loss'] })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^names: the job has printed no metric/),
    })
    for (const id of [one, other])
      await run(id, result({ step: 1, val_loss: 1 }), { metrics: { step: 1, val_loss: 1 } })
    expect(await use('GetGPUJobMetrics', { job_id: one, names: ['loss'] })).toMatchObject({
      isError: true,
      text: 'names: the job has no metric `loss`: it has `val_loss`',
    })
    expect(await use('CompareGPUJobs', { job_ids: [one, other], metrics: ['loss'] })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^metrics: none of the jobs has the metric `loss`: they have .*`val_loss`/),
    })
  })

  it('ids of other users are unknown ids, for each tool', async () => {
    const mine = await connect(ada)
    const job_id = await create(mine)
    const { group_id } = submittedJobsSchema.parse(
      (await mine('SubmitGPUJobs', { name: 'mine', command: 'true', array: '0-1' })).answer,
    )
    const use = await connect(bob)
    const [unknown, another] = [crypto.randomUUID(), crypto.randomUUID()]
    for (const id of [job_id, group_id]) {
      for (const [tool, input] of [
        ['WaitForGPUJobs', (one: string) => ({ ids: [one] })],
        ['CompareGPUJobs', (one: string) => ({ job_ids: [one, another] })],
        ['CompareGPUJobs', (one: string) => ({ group_id: one })],
        ['GetGPUJobMetrics', (one: string) => ({ job_id: one })],
        ['ViewGPUJob', (one: string) => ({ job_id: one })],
        ['StopGPUJob', (one: string) => ({ job_id: one })],
        ['ReadGPUJobLog', (one: string) => ({ job_id: one, search: 'x' })],
        ['ListGPUJobs', (one: string) => ({ group_id: one })],
      ] as const) {
        const [theirs, none] = [await use(tool, input(id)), await use(tool, input(unknown))]
        expect(theirs, tool).toMatchObject({ isError: true, text: expect.stringContaining('ListGPUJobs') })
        expect(theirs.text.replaceAll(id, 'ID'), tool).toBe(none.text.replaceAll(unknown, 'ID'))
        expect(theirs.text).not.toMatch(/\/api\/|page/)
      }
    }
  })

  it('a wait takes at most 1,000 ids and 60 seconds, and jobs and groups together', async () => {
    const use = await connect(ada)
    const ids = Array.from({ length: 1_001 }, () => crypto.randomUUID())
    expect(await use('WaitForGPUJobs', { ids })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^ids: must have at most 1000 ids/),
    })
    expect(await use('WaitForGPUJobs', { ids: [] })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^ids: is empty/),
    })
    expect(await use('WaitForGPUJobs', { ids: ids.slice(0, 1_000) })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/and 995 more\. ListGPUJobs/),
    })
    expect(await use('WaitForGPUJobs', { ids: ['x'], seconds: 61 })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^seconds: must be at most 60/),
    })
    expect(await use('CompareGPUJobs', {})).toMatchObject({
      isError: true,
      text: expect.stringContaining('job_ids'),
    })
  })

  it('the id of a group where only a job has an answer is refused with the tool that answers', async () => {
    const use = await connect(ada)
    const { group_id } = submittedJobsSchema.parse(
      (await use('SubmitGPUJobs', { name: 'only', command: 'true', array: '0-1' })).answer,
    )
    for (const tool of ['DiagnoseGPUJob', 'ReadGPUJobLog', 'GetGPUJobMetrics'])
      expect(await use(tool, { job_id: group_id })).toMatchObject({
        isError: true,
        text: expect.stringContaining('ViewGPUJob shows the group'),
      })
    expect(await use('CompareGPUJobs', { job_ids: [group_id, await create(use)] })).toMatchObject({
      isError: true,
      text: expect.stringContaining('group_id'),
    })
    const { answer } = await use('WaitForGPUJobs', { ids: [group_id], seconds: 0 })
    expect(answer).toMatchObject({ ended: [], waiting: 1, still: [{ id: group_id, counts: { held: 2 } }] })
  })

  it('a submission that is refused stores nothing, and names the key', async () => {
    const use = await connect(ada)
    const before = (await db.pool.query('SELECT 1 FROM job_groups')).rowCount
    for (const [input, says] of [
      [{ command: 'true' }, /^matrix: is missing/],
      [{ matrix: { lr: [1] } }, /^command: is missing/],
      [{ command: 'true', matrix: { lr: [1] }, array: '0-1' }, /another form of matrix/],
      [{ command: 'true', members: [{ nope: 1 }] }, /members.*nope/],
      [{ command: 'true', array: '0-1', gpu_count: 3 }, /^gpu_count: must be 1, 2, 4 or 8/],
      [{ command: 'true', array: '0-1', gpus: 3 }, /^gpus: this field does not exist/],
    ] as const)
      for (const tool of [
        'SubmitGPUJobs',
        ...('matrix' in input || 'array' in input ? ['PreviewGPUJobs'] : []),
      ])
        expect(await use(tool, { name: 'refused', ...input })).toMatchObject({
          isError: true,
          text: expect.stringMatching(says),
        })
    expect((await db.pool.query('SELECT 1 FROM job_groups')).rowCount).toBe(before)
  })
})

it('many waits of one agent end at the limit of its user, with what to do instead, and others wait', async () => {
  const [use, other] = [await connect(ada), await connect(bob)]
  const id = await create(use)
  const theirs = await create(other)
  const refused: string[] = []
  const waits = Array.from({ length: 20 }, async () => {
    const wait = await use('WaitForGPUJobs', { ids: [id] })
    if (wait.isError) refused.push(wait.text)
    return wait
  })
  await expect.poll(() => refused.length).toBe(17)
  for (const text of refused)
    expect(text).toMatch(/3 requests that wait.*Wait for several in one call: WaitForGPUJobs takes 1000 ids/)
  expect((await other('WaitForGPUJobs', { ids: [theirs], seconds: 1 })).answer).toMatchObject({ waiting: 1 })
  await run(id, '')
  const accepted = (await Promise.all(waits)).filter(({ isError }) => !isError)
  expect(accepted).toHaveLength(3)
  for (const { answer } of accepted) expect(answer).toMatchObject({ ended: [{ id }], waiting: 0 })
})

it('a preview says what is left of the budgets', async () => {
  const use = await connect(ada)
  await db.pool.query(`UPDATE users SET gpu_hour_budget = 3, budget_period = 'day' WHERE id = $1`, [ada.id])
  expect((await use('PreviewGPUJobs', job())).answer).toMatchObject({
    budget: expect.stringMatching(/0 of 3 GPU hours used today; 3 left/),
  })
})
