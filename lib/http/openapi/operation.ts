import { z } from 'zod'

/** One route of the API, as its document tells of it. */
export interface Operation {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: string
  tag: string
  summary: string
  access: 'public' | 'token' | 'submit' | 'read' | 'admin'
  query?: z.ZodType
  headers?: { name: string; description: string }[]
  body?: z.ZodType
  /** All of the body may be left out. */
  bodyOptional?: true
  upload?: Record<string, unknown>
  /** What the plain bytes of the body are. */
  bytes?: string
  answers: Record<string, { description: string; schema?: z.ZodType }>
}

/** A parameter of both ways to submit. */
export const deduplicateQuery = z
  .stringbool()
  .optional()
  .describe('true: where your job of the same content is alive or has completed, that job is the answer')

/** Answers that several routes give. */
export const list = (schema: z.ZodType) => ({
  200: { description: 'A bare array; the next page is in the Link header', schema: z.array(schema) },
})
export const ok = (schema: z.ZodType) => ({ 200: { description: 'Done', schema } })
export const created = (schema: z.ZodType) => ({ 201: { description: 'Made', schema } })

export const done = { 204: { description: 'Done' } }
