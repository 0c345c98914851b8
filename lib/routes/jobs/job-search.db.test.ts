import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { copyRows, makeJob } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob, admin] = [] as unknown as [Person, Person, Person]
/** Ada's jobs by name, the newest first. */
const jobs = { best: '', resnet: '', waiting: '', plain: '' }

beforeAll(async () => {
  ;[ada, bob, admin] = await Promise.all([makePerson(), makePerson(), makePerson('admin')])
  const ended = async (name: string, minutes: number, set: Record<string, unknown>) => {
    const id = await makeJob({ userId: ada.id, project: 'vision', spec: { gpu_count: 2 } })
    await db.pool.query(
      `UPDATE jobs SET name = $2, status = 'failed', reason = 'exit_code', exit_code = 1, tags = $4, starred = $5, note = $6,
              created_at = now() - interval '1 day' - $3 * interval '1 minute',
              started_at = now() - interval '1 day', ended_at = now() - interval '1 day' + $3 * interval '1 minute',
              final_metrics = $7 WHERE id = $1`,
      [id, name, minutes, set.tags ?? [], set.starred ?? false, set.note ?? null, set.metrics ?? {}],
    )
    return id
  }
  jobs.plain = await ended('plain', 90, {})
  jobs.waiting = await makeJob({ userId: ada.id, project: 'other' })
  jobs.resnet = await ended('ResNet50_lr0.1', 30, {
    note: 'Diverged.',
    tags: ['lr=0.1', 'seed 2'],
    metrics: { loss: 0.5, acc: 0.1 },
  })
  jobs.best = await ended('best run', 5, { tags: ['the best', 'v2'], starred: true, metrics: { loss: 0.1 } })
  await db.pool.query(`UPDATE jobs SET created_at = now() WHERE id = $1`, [jobs.waiting])
  const foreign = await makeJob({ userId: bob.id, project: 'vision' })
  await db.pool.query(
    `UPDATE jobs SET name = 'best of bob', final_metrics = '{"loss": 0.01}' WHERE id = $1`,
    [foreign],
  )
})

const get = (query: Record<string, string>, { cookie } = ada) =>
  call(jobRoutes.list, `/api/jobs?${new URLSearchParams(query)}`, { cookie })
const search = async (q: string, more: Record<string, string> = {}, person = ada) => {
  const { status, body } = await get({ q, ...more }, person)
  expect(status).toBe(200)
  const byId = new Map(Object.entries(jobs).map(([name, id]) => [id, name]))
  return (body as { job_id: string }[]).map(({ job_id }) => byId.get(job_id) ?? 'another')
}

describe('a search', () => {
  it.each([
    ['', ['waiting', 'best', 'resnet', 'plain']],
    ['status:failed', ['best', 'resnet', 'plain']],
    ['status:pending,failed', ['waiting', 'best', 'resnet', 'plain']],
    ['status:completed', []],
    ['tag:"the best"', ['best']],
    ['tag:v2,v3', ['best']],
    ['tag:the', []],
    ['is:starred', ['best']],
    ['project:vision', ['best', 'resnet', 'plain']],
    ['project:nothing', []],
    ['project:other,vision status:pending', ['waiting']],
    ['competition:competition', ['waiting', 'best', 'resnet', 'plain']],
    ['competition:other', []],
    ['environment:python status:failed', ['best', 'resnet', 'plain']],
    ['environment:none', []],
    ['metric.loss<0.2', ['best']],
    ['metric.loss>=0.1 metric.acc<1', ['resnet']],
    ['metric.loss=0.5', ['resnet']],
    ['metric.none>0', []],
    ['run_time>10m', ['resnet', 'plain']],
    ['run_time<=5m', ['best']],
    ['wait>1h', ['plain']],
    ['gpu_hours>0.9 gpu_hours<2', ['resnet']],
    ['age<1h', ['waiting']],
    ['age>1h', ['best', 'resnet', 'plain']],
    ['-status:failed', ['waiting']],
    ['-status:pending,running,completed,failed,cancelled', []],
    ['-tag:v2', ['waiting', 'resnet', 'plain']],
    ['-is:starred status:failed', ['resnet', 'plain']],
    ['-project:vision', ['waiting']],
    ['-project:nothing -environment:none', ['waiting', 'best', 'resnet', 'plain']],
    ['-competition:competition', []],
    ['tag:v2 -tag:"the best"', []],
    ['-tag:v2 run_time>10m lr0.1', ['resnet']],
    ['best', ['best']],
    ['RES', ['resnet']],
    ['"lr0.1"', ['resnet']],
    ['lr=0.1', ['resnet']],
    ['LR-0.1', ['resnet']],
    ['lr=1', []],
    ['"seed 0"', []],
    ['"2 diverged"', []],
    ['resnet50 diverged', ['resnet']],
    ['net', []],
    ['v2', ['best']],
    ['status:failed tag:v2 metric.loss<1 run', ['best']],
  ])('%s finds %j', async (q, expected) => {
    expect(await search(q)).toEqual(expected)
  })

  it('finds the first 16 words of a text in their order, and further ones anywhere', async () => {
    const erin = await makePerson()
    const id = await makeJob({ userId: erin.id })
    const words = Array.from({ length: 20 }, (_, at) => `w${at + 10}`)
    await db.pool.query('UPDATE jobs SET note = $2 WHERE id = $1', [id, words.join(' ')])
    const found = async (order: string[]) => {
      const query = new URLSearchParams({ q: `"${order.join(' ')}"` })
      return ((await call(jobRoutes.list, `/api/jobs?${query}`, { cookie: erin.cookie })).body as unknown[])
        .length
    }
    expect(await found(words)).toBe(1)
    expect(await found([...words.slice(0, 16), ...words.slice(16).reverse()])).toBe(1)
    expect(await found([...words.slice(0, 14), ...words.slice(14, 16).reverse(), ...words.slice(16)])).toBe(0)
    expect(await found([...words, 'w99'])).toBe(0)
  })

  it('finds a job by its id and by the end of it', async () => {
    expect(await search(jobs.resnet)).toEqual(['resnet'])
    expect(await search(jobs.resnet.slice(-8))).toEqual(['resnet'])
    expect(await search(jobs.resnet, {}, bob)).toEqual([])
  })

  it('follows changed labels', async () => {
    const id = await makeJob({ userId: bob.id })
    const found = async () => ((await get({ q: 'renamed' }, bob)).body as unknown[]).length
    expect(await found()).toBe(0)
    await db.pool.query(`UPDATE jobs SET tags = '{"Renamed tag"}' WHERE id = $1`, [id])
    expect(await found()).toBe(1)
    await db.pool.query(`UPDATE jobs SET tags = '{}', note = NULL WHERE id = $1`, [id])
    expect(await found()).toBe(0)
  })

  it('means the same as the parameters', async () => {
    expect(await search('run', { status: 'failed', tag: 'v2', starred: 'true' })).toEqual(['best'])
    expect(await search('plain', { tag: 'v2' })).toEqual([])
  })

  it('names other users only for admins', async () => {
    expect((await get({ q: `user:${bob.handle}` })).body).toMatchObject({ code: 'forbidden' })
    expect(await search(`user:${ada.handle.toUpperCase()} best`)).toEqual(['best'])
    expect(await search(`user:${ada.handle} best`, {}, admin)).toEqual(['best'])
    expect((await search(`user:${ada.handle},${bob.handle} best`, {}, admin)).sort()).toEqual([
      'another',
      'best',
    ])
    expect(await search('user:nobody', {}, admin)).toEqual([])
    expect((await search('best', { all: 'true' }, admin)).sort()).toEqual(['another', 'best'])
    expect(await search('best', {}, admin)).toEqual([])
    expect((await get({ q: `-user:${bob.handle}` })).body).toMatchObject({ code: 'forbidden' })
    expect(await search(`-user:${ada.handle}`)).toEqual([])
    expect(await search(`user:* best -user:${bob.handle},nobody`, {}, admin)).toEqual(['best'])
    expect(await search(`best -user:${bob.handle}`, {}, admin)).toEqual([])
    expect(await search(`best -user:${bob.handle}`, { all: 'true' }, admin)).toEqual(['best'])
  })

  it.each([
    ['an open quote', 'tag:"open', /character 5: this quote is not closed/i],
    ['an unknown key', 'stauts:failed', /did you mean “status”/i],
    ['NaN', 'metric.loss<NaN', /not a number/],
    ['a long word', 'x'.repeat(5_000), /at most 500 characters/],
    ['a long expression', 'a.*'.repeat(400), /at most 500 characters/],
  ])('a search with %s is refused in words', async (_, q, words) => {
    const { status, body } = await get({ q })
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toMatch(words)
  })

  it('takes regular expressions and SQL as text', async () => {
    expect(await search('"(zz+)+$"')).toEqual([])
    expect(await search(`"' OR 1=1 --"`)).toEqual([])
    expect(await search('metric."a\'b"<1')).toEqual([])
    expect(await search('"zz%"')).toEqual([])
  })
})

describe('the number of jobs', () => {
  const counted = async (query: Record<string, string>, { cookie } = ada) =>
    (await call(jobRoutes.count, `/api/jobs/count?${new URLSearchParams(query)}`, { cookie })).body
  const exactly = (jobs: number) => ({ jobs, more: false })

  it.each([
    ['', '', 4],
    ['status:failed', 'active', 3],
    ['status:failed run_time>10m', '', 2],
    ['-status:failed', '', 1],
    ['metric.loss<0.2', '', 1],
    ['resnet50 diverged', '-wait', 1],
    ['project:nothing', '', 0],
    ['', 'metric.loss', 2],
    ['best', 'gpu_hours', 1],
  ])('%s, sorted by "%s", is that of its list: %i', async (q, sort, jobs) => {
    expect(await counted({ q, ...(sort ? { sort } : {}) })).toEqual(exactly(jobs))
    expect(await search(q, sort ? { sort } : {})).toHaveLength(jobs)
  })

  it('counts only jobs that the caller may see', async () => {
    expect(await counted({ q: 'best' }, bob)).toEqual(exactly(1))
    expect(await counted({ q: 'user:* best' }, bob)).toEqual(exactly(1))
    expect(await counted({ q: 'user:* best' }, admin)).toEqual(exactly(2))
    expect(await counted({ all: 'true' })).toMatchObject({ code: 'forbidden' })
    expect(await counted({ q: `user:${bob.handle}` })).toMatchObject({ code: 'forbidden' })
    expect(await counted({ q: 'project:vision', all: 'true' }, admin)).toEqual(exactly(4))
    expect(await counted({ q: 'stauts:failed' })).toMatchObject({ code: 'invalid_fields' })
  })

  it('is counted up to 1,000', async () => {
    const dave = await makePerson()
    const like = await makeJob({ userId: dave.id })
    await db.pool.query(`UPDATE jobs SET tags = '{many}', name = 'many' WHERE id = $1`, [like])
    await copyRows('jobs', like, {}, { count: 999 })
    for (const q of ['', 'tag:many', 'many']) expect(await counted({ q }, dave)).toEqual(exactly(1000))
    await copyRows('jobs', like, {}, { count: 1 })
    for (const q of ['', 'tag:many', 'many'])
      expect(await counted({ q }, dave)).toEqual({ jobs: 1000, more: true })
  })
})

describe('the order', () => {
  it.each([
    ['submitted', ['plain', 'resnet', 'best', 'waiting']],
    ['-submitted', ['waiting', 'best', 'resnet', 'plain']],
    ['run_time', ['best', 'resnet', 'plain']],
    ['-run_time', ['plain', 'resnet', 'best']],
    ['-wait', ['plain', 'resnet', 'best']],
    ['gpu_hours', ['best', 'resnet', 'plain']],
    ['metric.loss', ['best', 'resnet']],
    ['-metric.loss', ['resnet', 'best']],
    ['metric.none', []],
  ])('the order by %s is kept from page to page', async (sort, expected) => {
    expect(await search('', { sort })).toEqual(expected)
    const found: string[] = []
    let cursor: string | null = null
    do {
      const answer: Awaited<ReturnType<typeof call>> = await call(
        jobRoutes.list,
        `/api/jobs?${new URLSearchParams({ sort, limit: '1', ...(cursor ? { cursor } : {}) })}`,
        { cookie: ada.cookie },
      )
      found.push(...(answer.body as { job_id: string }[]).map(({ job_id }) => job_id))
      cursor = /cursor=([^>&]+)/.exec(answer.headers.get('link') ?? '')?.[1] ?? null
      if (cursor) cursor = decodeURIComponent(cursor)
    } while (cursor)
    expect(found).toEqual(expected.map((name) => jobs[name as keyof typeof jobs]))
  })

  it('can be combined with a search, and shows no other key', async () => {
    expect(await search('metric.loss<0.4', { sort: '-run_time' })).toEqual(['best'])
    expect(await search('status:failed', { sort: 'metric.loss' })).toEqual(['best', 'resnet'])
    const { body } = await get({ sort: 'metric.loss', q: 'best' })
    expect(body).toMatchObject([{ requested_gpus: 2, metrics: {} }])
    expect(Object.keys((body as object[])[0] ?? {})).not.toContain('sort_key')
  })

  it('the order by another key is refused, and so is a cursor of another order', async () => {
    expect((await get({ sort: 'name' })).status).toBe(422)
    const time = Buffer.from(JSON.stringify([new Date().toISOString(), jobs.best])).toString('base64url')
    expect((await get({ sort: 'run_time', cursor: time })).status).toBe(400)
  })
})

describe('the order with active jobs first', () => {
  /** How many minutes ago each was submitted. */
  const ages = {
    'ended new': 1,
    'waiting new': 2,
    'running new': 3,
    scheduled: 4,
    'running old': 5,
    'waiting old': 6,
    'ended old': 7,
  }
  const expected = [
    ...['running new', 'running old'],
    ...['waiting new', 'scheduled', 'waiting old'],
    ...['ended new', 'ended old'],
  ]
  let eve: Person

  /** The names of the jobs on all pages. `turn` happens after each page. */
  async function readAll(limit: number, turn = async (_page: number) => {}, q = '') {
    const found: string[] = []
    let cursor: string | null = null
    for (let page = 1; ; page++) {
      const query = { sort: 'active', limit: String(limit), q, ...(cursor ? { cursor } : {}) }
      const answer: Awaited<ReturnType<typeof call>> = await call(
        jobRoutes.list,
        `/api/jobs?${new URLSearchParams(query)}`,
        { cookie: eve.cookie },
      )
      found.push(...(answer.body as { name: string }[]).map(({ name }) => name))
      const next = /cursor=([^>&]+)/.exec(answer.headers.get('link') ?? '')?.[1]
      if (next === undefined) return found
      cursor = decodeURIComponent(next)
      await turn(page)
    }
  }
  const set = (name: string, values: string) =>
    db.pool.query(`UPDATE jobs SET ${values} WHERE user_id = $1 AND name = $2`, [eve.id, name])
  const ended = `status = 'failed', reason = 'exit_code', exit_code = 1, started_at = now(), ended_at = now()`

  beforeEach(async () => {
    eve = await makePerson()
    for (const [name, minutes] of Object.entries(ages)) {
      const id = await makeJob({ userId: eve.id })
      await db.pool.query(
        `UPDATE jobs SET name = $2, tags = '{mine}', created_at = now() - $3 * interval '1 minute' WHERE id = $1`,
        [id, name, minutes],
      )
    }
    for (const name of ['ended new', 'ended old']) await set(name, ended)
    for (const name of ['running new', 'running old'])
      await set(name, `status = 'running', attempt = 1, started_at = now()`)
    await set('scheduled', `status = 'scheduled', attempt = 1`)
  })

  it.each([1, 2, 3, 5, 7, 50])('is kept from page to page with %i jobs on each', async (limit) => {
    expect(await readAll(limit)).toEqual(expected)
    expect(await readAll(limit, undefined, 'tag:mine')).toEqual(expected)
    expect(await readAll(limit, undefined, 'status:running,failed')).toEqual([
      ...expected.slice(0, 2),
      ...expected.slice(5),
    ])
  })

  it('shows an ended job exactly once, whatever else changes between the pages', async () => {
    const found = await readAll(3, async (page) => {
      if (page === 1) await set('running new', ended)
      if (page === 1) await set('waiting old', ended)
    })
    // It ran on the first page, and has ended on a later one.
    expect(found).toEqual([
      ...['running new', 'running old', 'waiting new', 'scheduled'],
      ...['ended new', 'running new', 'waiting old', 'ended old'],
    ])
  })

  it('refuses a cursor of another order', async () => {
    const cursor = (...values: string[]) => Buffer.from(JSON.stringify(values)).toString('base64url')
    const now = new Date().toISOString()
    for (const wrong of [cursor(now, jobs.best), cursor('paused', now, jobs.best), cursor('ended', 'x', 'y')])
      expect((await get({ sort: 'active', cursor: wrong })).status).toBe(400)
    expect((await get({ cursor: cursor('ended', now, jobs.best) })).status).toBe(400)
    expect((await get({ sort: '-active' })).status).toBe(422)
  })
})

describe('the suggestions', () => {
  const values = async (query: Record<string, string>, { cookie } = ada) =>
    (await call(jobRoutes.suggest, `/api/jobs/suggestions?${new URLSearchParams(query)}`, { cookie })).body

  it('are values of the own jobs that begin so', async () => {
    expect(await values({ key: 'tag' })).toEqual(['v2', 'lr=0.1', 'seed 2', 'the best'])
    expect(await values({ key: 'tag', text: 'TH' })).toEqual(['the best'])
    expect(await values({ key: 'metric' })).toEqual(['acc', 'loss'])
    expect(await values({ key: 'project' })).toEqual(['other', 'vision'])
    expect(await values({ key: 'competition' })).toEqual(['competition'])
    expect(await values({ key: 'environment', text: 'py' })).toEqual(['python'])
    expect(await values({ key: 'user' })).toEqual([ada.handle])
    expect(await values({ key: 'tag' }, bob)).toEqual([])
    expect(await values({ key: 'tag', text: '%' })).toEqual([])
  })

  it('are those of all users only for admins', async () => {
    expect(await values({ key: 'tag', all: 'true' })).toMatchObject({ code: 'forbidden' })
    expect(await values({ key: 'tag', all: 'true' }, admin)).toContain('the best')
    expect(await values({ key: 'user', text: bob.handle }, admin)).toContain(bob.handle)
    expect(await values({ key: 'name' })).toMatchObject({ code: 'invalid_fields' })
  })
})

describe('jobs that few conditions meet', () => {
  it('are found behind many others, by each filter', async () => {
    const carol = await makePerson()
    const like = await makeJob({ userId: carol.id, project: 'large' })
    await db.pool.query(
      `UPDATE jobs SET name = 'rare', tags = '{rare}', final_metrics = '{"rare": 1}', created_at = now() - interval '1 year' WHERE id = $1`,
      [like],
    )
    await copyRows(
      'jobs',
      like,
      { name: 'often', tags: [], final_metrics: {}, created_at: new Date() },
      { count: 10_100 },
    )
    await db.pool.query('ANALYZE jobs')
    for (const q of ['rare', 'tag:rare', 'metric.rare<2', 'tag:rare,other rare']) {
      expect((await get({ q }, carol)).body).toMatchObject([{ job_id: like }])
    }
    const { body } = await get({ q: 'often', limit: '3' }, carol)
    expect(body).toHaveLength(3)
  })
})

describe('pages of a search in any order', () => {
  const terms = {
    'status:failed': (n: number) => n % 2 === 0,
    'tag:third': (n: number) => n % 3 === 0,
    fifth: (n: number) => n % 5 === 0,
    'metric.n<400': (n: number) => n < 400,
    'metric.n>=590': (n: number) => n >= 590,
    'run_time>100s': (n: number) => n > 100,
  }

  it('have exactly the jobs that meet all terms, in their order', async () => {
    const dora = await makePerson()
    const like = await makeJob({ userId: dora.id, project: 'pages' })
    const others = await makeJob({ userId: (await makePerson()).id, project: 'pages' })
    for (const id of [like, others]) await copyRows('jobs', id, {}, { count: 599 })
    // Each job has a number, which is also its metric, its run time and its place in the list.
    await db.pool.query(
      `UPDATE jobs SET name = CASE n % 5 WHEN 0 THEN 'fifth ' ELSE 'job ' END || n, tags = CASE n % 3 WHEN 0 THEN '{third}' ELSE '{}' END::text[],
              status = CASE n % 2 WHEN 0 THEN 'failed' ELSE 'completed' END::"JobStatus", exit_code = 1 - n % 2,
              reason = CASE n % 2 WHEN 0 THEN 'exit_code' ELSE 'finished' END, final_metrics = jsonb_build_object('n', n),
              created_at = now() + n * interval '1 second', started_at = now() + interval '1 hour', ended_at = now() + interval '1 hour' + n * interval '1 second'
         FROM (SELECT id AS of, row_number() OVER (PARTITION BY user_id ORDER BY id) - 1 AS n FROM jobs
                WHERE project_id IN (SELECT id FROM projects WHERE slug = 'pages')) numbered WHERE id = of`,
    )
    await db.pool.query('ANALYZE jobs')
    const all = Array.from({ length: 600 }, (_, n) => n)
    const names = Object.keys(terms) as (keyof typeof terms)[]
    for (let chosen = 0; chosen < 2 ** names.length; chosen++) {
      const used = names.filter((_, place) => (chosen >> place) % 2 === 1)
      const met = all.filter((n) => used.every((name) => terms[name](n)))
      for (const [sort, expected] of [
        ['-submitted', met.toReversed()],
        ['metric.n', met],
        ['-run_time', met.toReversed()],
      ] as const) {
        const limit = [1, 7, 100][chosen % 3] ?? 1
        const { body } = await get({ q: used.join(' '), sort, limit: String(limit) }, dora)
        const found = (body as { name: string }[]).map(({ name }) => Number(name.split(' ')[1]))
        expect({ used, sort, found }).toEqual({ used, sort, found: expected.slice(0, limit) })
      }
    }
  })
})
