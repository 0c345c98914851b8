import { expect, it } from 'vitest'
import { addedFields, jobColumnNames } from '@/lib/contract/job-columns'
import { jobSummarySchema } from '@/lib/contract/jobs'
import { jobs } from '../commands/jobs'
import { fakeContext, jobId, summary } from '../testing/fake-context'
import { toColumns } from './job-columns'

const added = Object.fromEntries(
  addedFields.map(({ field, kind }) => [field, kind === 'number' ? 7 : 'a text']),
)
const job = jobSummarySchema.parse(
  summary({ ...added, requested_gpus: 4, tags: ['v2', 'best'], metrics: { loss: 0.25 } }),
)

it('gpuq jobs --columns shows each column of the job list', () => {
  const columns = toColumns(jobColumnNames.join(','))
  expect(columns.map(({ title }) => title)).toEqual(jobColumnNames.map((name) => name.toUpperCase()))
  for (const { title, cell } of columns) expect(cell(job), title).not.toBeNull()
})

it('gpuq jobs --columns shows the chosen columns in their order, also metrics', async () => {
  const context = fakeContext(() => Response.json([job]))
  await jobs(context, [], {
    limit: 20,
    columns: 'name, metric.loss,priority,gpu_hours,wait,tags,metric.none',
  })
  const [head, line] = context.written.out.split('\n').map((text) => text.split(/ {2,}/))
  expect(head).toEqual(['NAME', 'metric.loss', 'PRIORITY', 'GPU_HOURS', 'WAIT', 'TAGS', 'metric.none'])
  expect(line).toEqual(['baseline', '0.25', '7', '0.10', '1 s', 'v2,best', '-'])
})

it('gpuq jobs shows the usual columns unless others are chosen', () => {
  const cells = toColumns(undefined, Date.parse('2026-01-01T00:10:00Z')).map(({ title, cell }) => [
    title,
    cell(job),
  ])
  expect(cells).toEqual([
    ['ID', jobId],
    ['STATUS', 'completed'],
    ['REASON', 'finished'],
    ['USER', 'ada'],
    ['PROJECT', 'p1'],
    ['NAME', 'baseline'],
    ['RUN_TIME', '1 min 30 s'],
    ['SUBMITTED', '10 min 0 s ago'],
  ])
})

it('gpuq jobs --columns with an unknown name lists the names, and asks the server for nothing', async () => {
  const context = fakeContext(() => {
    throw new Error('a request')
  })
  await expect(jobs(context, [], { limit: 20, columns: 'id,nodes' })).rejects.toThrow(
    '"nodes", which is no column. Use id, name, reason, status,',
  )
})
