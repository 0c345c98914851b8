import assert from 'node:assert/strict'
import { z } from 'zod'
import type { Answer } from './http-call'

const problemSchema = z.strictObject({
  type: z.literal('about:blank'),
  title: z.string().min(1),
  status: z.number(),
  detail: z.string().min(15),
  code: z.string().min(1),
  errors: z
    .array(
      z.strictObject({
        path: z.string(),
        message: z.string().min(5),
        line: z.number().int().min(1).optional(),
        column: z.number().int().min(1).optional(),
      }),
    )
    .optional(),
  nearest: z.record(z.string(), z.unknown()).optional(),
  jobs: z
    .array(z.strictObject({ job_id: z.uuid(), name: z.string().nullable(), status: z.string() }))
    .optional(),
})

export type Problem = z.infer<typeof problemSchema>

/** Expects a problem response with a helpful message, and returns it. */
export function expectProblem(answer: Answer, status: number, message?: RegExp): Problem {
  assert.equal(answer.status, status, `${answer.status} instead of ${status}: ${answer.text}`)
  assert.equal(answer.headers['content-type'], 'application/problem+json')
  const problem = problemSchema.parse(JSON.parse(answer.text))
  assert.equal(problem.status, status)
  if (message) assert.match(problem.detail, message)
  return problem
}
