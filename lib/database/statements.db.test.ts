import { globSync } from 'node:fs'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson } from '@/lib/access/testing/people'
import { jobCountQuerySchema, jobFiltersSchema } from '@/lib/contract/job-queries'
import { countJobs, listJobs } from '@/lib/jobs/read/list'
import { readResults } from '@/lib/project-results/read-results'
import { type Collected, collectStatements, type Statement } from './testing/statements/collect'
import { type Catalog, compareColumns } from './testing/statements/compare'
import { describeStatement } from './testing/statements/describe'
import { readCatalog } from './testing/statements/read-catalog'
import { recordStatements } from './testing/statements/record'
import { testDatabase } from './testing/test-database'

const db = testDatabase()

/** Its statements need the schema before the last migrations. move-programs.db.test.ts runs all of them. */
const earlier = 'lib/database/move-programs.ts'
const sources = globSync('{lib,worker}/**/*.ts').filter(
  (file) => file !== earlier && !/\.test\.ts$|\/testing\/|\/generated\//.test(file),
)
/** Statements with faults, to see that they are found. */
const sample = 'lib/database/testing/statements/sample.ts'
const isSample = ({ place }: Statement) => place.startsWith(`${sample}:`)

/** Columns that the schema allows to be null or to have other values, and why they do not where a statement reads them. */
const narrower: Record<string, string> = {
  'lib/competitions/boards/read-entries.ts: scores':
    'the check score_runs_end, and compared by the statement',
  'lib/competitions/boards/settle-boards.ts: freezeAt': 'compared by the statement',
  'lib/notifications/invitation-mails.ts: expires_at': 'set by the statement',
  'lib/snapshots/delete-snapshots.ts: id': 'compared by the statement',
  'lib/cluster/simulated/simulated-nodes.ts: host_node_id': 'the check nodes_host_check',
  'lib/slurm/jobs/step-ends.ts: slurmId': 'a task starts after Slurm has accepted its job',
  'lib/jobs/downloads/download.ts: bytes': 'set when the file is stored, which the function waits for',
  'lib/jobs/downloads/download.ts: sha256': 'set when the file is stored, which the function waits for',
  'lib/jobs/read/active-jobs.ts: status': 'the triggers count only jobs that have not ended',
  'lib/buckets/upload-rows.ts: bucketId': 'a bucket with unsettled uploads is not deleted',
  'lib/results/reading/read-output.ts: outputStart': 'set when the file is stored',
  'lib/results/result-files.ts: endedAt': 'the check jobs_verdict_check',
  'lib/results/result-files.ts: reason': 'the check jobs_verdict_check',
  'lib/jobs/lifecycle/verdict.ts: endedAt': 'only those of ended tasks are used',
  'lib/jobs/lifecycle/verdict.ts: reason': 'only those of ended tasks are used',
}

/** Statements whose texts exist only at run time, because they depend on a search and on estimates, and how each is known. */
const composed: Record<string, RegExp> = {
  'lib/jobs/read/find-jobs.ts estimateRows': /^EXPLAIN/,
  'lib/jobs/read/find-jobs.ts findFewest': /^SELECT ARRAY/,
  'lib/jobs/read/list.ts countJobs': /^SELECT 1 FROM .* found$/,
  'lib/jobs/read/list.ts selectPage': / AS sort_key FROM /,
  'lib/project-results/read-results.ts findResultJobs': / AS owner_id/,
}

/** Statements that do not use the tables of gpuq. */
const elsewhere = ['lib/database/embedded.ts createDatabase', 'lib/database/migrate.ts connect']

let collected: Collected
let catalog: Catalog
beforeAll(async () => {
  collected = collectStatements([...sources, sample])
  catalog = await readCatalog(db.pool)
})

/** What is wrong with statements, without what {@link narrower} explains. */
async function problemsOf(
  statements: readonly Statement[],
): Promise<{ problems: string[]; explained: Set<string> }> {
  const client = new pg.Client({ connectionString: db.url })
  await client.connect()
  const problems = new Set<string>()
  const explained = new Set<string>()
  for (const { place, text, row } of statements) {
    try {
      const columns = await describeStatement(client, text)
      for (const problem of compareColumns(collected.checker, row, columns, catalog, text)) {
        const known = `${place.replace(/:\d+$/, '')}: ${problem.replace(/ (can be null|has values) *.*$/, '')}`
        if (known in narrower) explained.add(known)
        else problems.add(`${place}: ${problem}`)
      }
    } catch (error) {
      problems.add(`${place}: ${error instanceof Error ? error.message : error} in: ${text}`)
    }
  }
  await client.end()
  return { problems: [...problems], explained }
}

describe('every statement of lib and worker', () => {
  it('fits the migrated schema, and has the columns of its row type', async () => {
    const statements = collected.statements.filter((statement) => !isSample(statement))
    expect(statements.length).toBeGreaterThan(600)
    const { problems, explained } = await problemsOf(statements)
    expect(problems).toEqual([])
    expect([...explained].sort()).toEqual(Object.keys(narrower).sort())
  })

  it('can be read from the source, except for those of lists', () => {
    const places = collected.unreadable.map(({ place }) => place)
    expect([...new Set(places)].sort()).toEqual([...Object.keys(composed), ...elsewhere].sort())
  })

  it('has the columns of its row type also if it is composed at run time', async () => {
    const { id: userId, actor } = await makePerson('admin')
    await db.pool.query('INSERT INTO projects (id, slug, name, owner_id) VALUES ($1, $2, $2, $1)', [
      userId,
      'lab',
    ])
    const search = { all: 'true', q: 'metric.loss<1 tag:a words' }
    const list = (query: object) => listJobs(actor, jobFiltersSchema.parse(query))
    const sent = await recordStatements(async () => {
      await list({ all: 'true' })
      await list({ ...search, sort: 'run_time' })
      await list({ all: 'true', q: 'tag:a' })
      await countJobs(actor, jobCountQuerySchema.parse(search))
      await readResults(actor, userId, { q: 'metric.loss<1', pictures: true })
    })
    for (const [place, pattern] of Object.entries(composed)) {
      const texts = sent.filter((text) => pattern.test(text))
      expect(texts, place).not.toEqual([])
      const row = collected.unreadable.find((call) => call.place === place)?.row
      const statements = texts.map((text) => ({ place, text, row }))
      expect((await problemsOf(statements)).problems).toEqual([])
    }
  })
})

it('each kind of fault is found', async () => {
  const { problems } = await problemsOf(collected.statements.filter(isSample))
  expect(problems.map((problem) => problem.replace(/^[^ ]+ /, '').split(' in: ')[0]).sort()).toEqual([
    'column u.no_such_column does not exist',
    'email can be null',
    'id is uuid, not number',
    'its rows have no type',
    'role has values that "admin" lacks',
    'roles is Role[], not string[]',
    'the row has no property role',
    'the statement has no column handle',
  ])
})
