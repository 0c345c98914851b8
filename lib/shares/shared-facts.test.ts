import { describe, expect, it } from 'vitest'
import { type JobDetail, jobDetailSchema } from '../contract/jobs'
import { endReasons, waitReasons } from '../contract/reasons'
import { toSharedFacts } from './shared-facts'

/** What this test needs of a schema of zod. */
interface Schema {
  def: {
    type: string
    shape?: Record<string, Schema>
    element?: Schema
    valueType?: Schema
    innerType?: Schema
    options?: Schema[]
    entries?: Record<string, unknown>
    values?: unknown[]
  }
}

/** A value of the schema in which nothing is missing, and whose every text is its own path. */
function marked({ def }: Schema, path: string): unknown {
  const {
    type,
    shape = {},
    element,
    valueType,
    innerType,
    options: [option] = [],
    entries = {},
    values: [literal] = [],
  } = def
  if (option) return marked(option, path)
  if (innerType) return marked(innerType, path)
  if (element) return [marked(element, path)]
  if (valueType) return { [`<key of ${path}>`]: marked(valueType, path) }
  if (type === 'enum') return Object.values(entries)[0]
  if (type === 'literal') return literal
  if (type === 'string') return `<${path}>`
  if (type === 'boolean') return true
  if (type === 'number') return 1
  if (type !== 'object') throw new Error(`This test does not know the type ${type}, at ${path}.`)
  const values = Object.entries(shape).map(([key, value]) => [key, marked(value, `${path}.${key}`)])
  return Object.fromEntries(values)
}

const detail = marked(jobDetailSchema as unknown as Schema, 'job') as JobDetail
const textsOf = (value: unknown) => JSON.stringify(value).match(/<[^>]+>/g) ?? []

describe('the facts that everyone with a link sees', () => {
  it('have of all texts of a job only those that its owner chose, and the models of its GPUs', () => {
    expect(textsOf(detail).length).toBeGreaterThan(50)
    expect([...new Set(textsOf(toSharedFacts(detail)))].sort()).toEqual([
      '<job.competition_id>',
      '<job.completed_at>',
      '<job.created_at>',
      '<job.environment>',
      '<job.name>',
      '<job.project_id>',
      '<job.resources.got.gpus.model>',
      '<job.started_at>',
      '<job.user_name>',
    ])
  })

  it.each(Object.entries(endReasons))('say why the job ended, without details: %s', (reason, { message }) => {
    expect(toSharedFacts({ ...detail, status: 'failed', reason }).reason_text).toBe(message)
  })

  it.each([...Object.keys(waitReasons), 'slurm_suspended', 'toString', null])(
    'do not say why a job waits: %s',
    (reason) => {
      expect(toSharedFacts({ ...detail, status: 'pending', reason }).reason_text).toBeNull()
    },
  )
})
