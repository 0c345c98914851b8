import pg from 'pg'
import { simulateAsha } from '@/lib/groups/testing/simulate-asha'
import type { System } from '../../system/start-system'
import { launchBrowser } from '../browser'
import { type Answer, bearer, call, signIn, upload } from '../client'
import { timeOf } from '../job-list'
import { type Figures, figuresOf, measureInTurn } from '../measure'
import { addSession } from '../output'

const members = 10_000
/** Jobs that a user would submit one by one without groups. */
const few = 60
const seeds = 10
const scrollSteps = 120

interface GroupFigures {
  accept: Figures
  /** 60 members in one request, and 60 requests one after the other. */
  together: Figures
  oneByOne: Figures
  cancelMs: number
  views: Record<string, Figures>
  /** How long each frame took while the page and the table of its members were scrolled. */
  frames: Figures
}

/** Measures groups of 10,000 members: how long they take to be accepted, shown and cancelled. */
export async function benchGroups(
  system: System,
  rounds: number,
  progress: (note: string) => void,
): Promise<GroupFigures> {
  const accept: number[] = []
  for (let round = 0; round < Math.min(rounds, 5); round++) {
    const { id, took } = await submitGroup(system, members)
    accept.push(took)
    await cancel(system, id)
  }
  const { together, oneByOne } = await measureInTurn(Math.min(rounds, 5), {
    together: async () => {
      const { id, took } = await submitGroup(system, few)
      await cancel(system, id)
      return took
    },
    oneByOne: () => timed(() => submitOneByOne(system)),
  })
  const { id } = await submitGroup(system, members)
  await endMembers(system, id)
  const views = await measureViews(system, id, rounds)
  const frames = await measureFrames(system, id, progress)
  const last = await submitGroup(system, members)
  const cancelMs = await timed(() => cancel(system, last.id))
  return { accept: figuresOf(accept), together, oneByOne, cancelMs, views, frames }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function succeed(
  url: string,
  ...given: Parameters<typeof call> extends [string, ...infer Rest] ? Rest : never
) {
  const answer: Answer = await call(url, ...given)
  if (answer.status >= 300) throw new Error(`${url} answered ${answer.status}: ${answer.body.slice(0, 200)}`)
  return answer
}

async function submitGroup(system: System, count: number): Promise<{ id: string; took: number }> {
  const config = {
    ...{ competition_id: 'bench', project_id: 'bench', expected_time: 60 },
    ...{ command: 'python train.py --lr {lr}', matrix: { lr: { from: 1, to: count } } },
    objective: { metric: 'loss', mode: 'min' },
  }
  const body = Buffer.from(JSON.stringify({ config }))
  const began = performance.now()
  const answer = await succeed(`${system.url}/api/groups`, {
    method: 'POST',
    headers: { ...bearer(system), 'content-type': 'application/json' },
    body,
  })
  const took = performance.now() - began
  return { id: (JSON.parse(answer.body) as { group_id: string }).group_id, took }
}

async function submitOneByOne(system: System): Promise<void> {
  for (let number = 0; number < few; number++) {
    const [url, request] = upload(system, 'print(1)', `args: ["--lr", "${number}"]\n`)
    await succeed(url, request)
  }
}

/** Resolves when the group has ended. */
async function cancel(system: System, id: string): Promise<void> {
  await succeed(`${system.url}/api/groups/${id}/cancel`, { method: 'POST', headers: bearer(system) })
}

/** Ends all members with a metric, as their programs would. */
async function endMembers(system: System, id: string): Promise<void> {
  const client = new pg.Client({ connectionString: system.databaseUrl })
  await client.connect()
  // No worker runs that could have put members into the queue.
  await client.query(
    `INSERT INTO jobs (id, group_id, user_id, project_id, environment_id, competition_id, status, reason, exit_code, spec, command, expected_time_s,
                       time_limit_s, attempt, created_at, started_at, ended_at, result_stored, final_metrics)
     SELECT m.job_id, g.id, g.user_id, g.project_id, e.id, 'bench', 'completed', 'finished', 0, '{"gpu_count": 1}', g.command, 60, 120, 1,
            now(), now() - interval '1 minute', now(), true, jsonb_build_object('loss', 1.0 / (1 + m.index), 'step', 100)
       FROM job_groups g JOIN group_members m ON m.group_id = g.id, environments e WHERE g.id = $1 AND e.is_default`,
    [id],
  )
  await client.query(`UPDATE group_members SET state = 'entered' WHERE group_id = $1`, [id])
  await client.query('UPDATE job_groups SET held = 0 WHERE id = $1', [id])
  await client.query('VACUUM ANALYZE jobs, group_members')
  await client.end()
}

/** Measures what the pages of groups read, and the pages. */
async function measureViews(system: System, id: string, rounds: number): Promise<Record<string, Figures>> {
  const page = { cookie: await signIn(system) }
  const read =
    (path: string, holds: string, headers = bearer(system) as Record<string, string>) =>
    () =>
      timeOf(`${system.url}${path}`, headers, holds)
  return measureInTurn(Math.max(rounds, 20), {
    'GET /api/groups': read('/api/groups', id),
    'GET /api/groups/ID': read(`/api/groups/${id}`, id),
    '1,000 members': read(`/api/groups/${id}/members?limit=1000`, '"index":999'),
    '/groups': read('/groups', '<html', page),
    '/groups/ID': read(`/groups/${id}`, '<html', page),
  })
}

/** A text, because the names of functions that are sent to a page do not exist there. */
const recordFrames = `{
  const record = (now) => {
    frameTimes.push(now)
    requestAnimationFrame(record)
  }
  globalThis.frameTimes = []
  requestAnimationFrame(record)
}`

/** Scrolls the page of the group in Chromium, first the page and then the table, and returns the times between frames. */
async function measureFrames(system: System, id: string, progress: (note: string) => void): Promise<Figures> {
  const browser = await launchBrowser(progress)
  try {
    const context = await browser.newContext({ baseURL: system.url, viewport: { width: 1280, height: 800 } })
    await addSession(context, system)
    const page = await context.newPage()
    await page.goto(`/groups/${id}`)
    const table = page.getByRole('region', { name: 'Members of the group' })
    await page.getByText('10,000 members', { exact: true }).waitFor()
    // The charts are drawn first.
    await page.waitForTimeout(1_000)
    await page.evaluate(recordFrames)
    const scroll = async (by: number) => {
      for (let step = 0; step < scrollSteps; step++) {
        await page.mouse.wheel(0, by)
        await page.evaluate(() => new Promise(requestAnimationFrame))
      }
    }
    await page.mouse.move(640, 30)
    await scroll(40)
    await table.hover()
    await scroll(1_000)
    const times = await page.evaluate<number[]>('frameTimes')
    return figuresOf(times.slice(1).map((time, index) => time - (times[index] ?? time)))
  } finally {
    await browser.close()
  }
}

/** The share of the GPU time that asha needs on simulated curves, and how much worse the best member is that it finds. */
export function benchAsha(): { share: number; best: Figures } {
  const runs = Array.from({ length: seeds }, (_, seed) => simulateAsha(1_000, 270, seed + 1))
  return {
    share: runs.reduce((sum, { share }) => sum + share, 0) / seeds,
    best: figuresOf(runs.map(({ best }) => best)),
  }
}
