import { expect, it } from 'vitest'
import { z } from 'zod'
import { allOperations } from '../contract/operations/operations'
import { openapiDocument } from './openapi'

const operationSchema = z.object({
  operationId: z.string(),
  description: z.string().optional(),
  requestBody: z.object({ required: z.boolean() }).optional(),
})
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})
const text = JSON.stringify(openapiDocument('https://gpuq.example.org'))
const { paths, components } = documentSchema.parse(JSON.parse(text))

it('names each operation once', () => {
  const ids = allOperations.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(paths['/api/jobs']?.get?.operationId).toBe('jobs.list')
})

it('names the fields of requests and responses', () => {
  for (const word of ['expires_in_days', 'reason_text', 'Idempotency-Key', 'competition_id', 'config_file']) {
    expect(text).toContain(word)
  }
})

it('defines each named schema once, and refers to it', () => {
  const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
  expect([...referred].sort()).toEqual(Object.keys(components.schemas).sort())
  // One of each contract: clients generate types from these names.
  const named =
    'Announcement ArchiveState Artifact Bucket Cluster CreateToken Environment JobBucket JobDetail JobFiles JobInSlurm'
  const others =
    'PredictedTime Problem Project QueueJob Shares ShownPolicy SlurmState Snapshot StoredItem UpdateJob WorkingFile'
  expect([...referred]).toEqual(expect.arrayContaining(`${named} ${others}`.split(' ')))
})

it('tells which bodies may be left out', () => {
  const optional = Object.entries(paths).filter(([, { post }]) => post?.requestBody?.required === false)
  expect(optional.map(([path]) => path)).toEqual([
    '/api/competitions/{id}/join',
    '/api/join/{token}',
    '/api/gpu/initialize',
  ])
})

it('tells which operations the tokens of classes and of agents may call', () => {
  const restricted = 'A token of a class or of an agent may call it.'
  expect(paths['/api/jobs']?.get?.description).toContain(restricted)
  expect(paths['/api/tokens']?.get?.description).not.toContain('may call it')
})
