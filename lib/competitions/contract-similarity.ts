import * as z from 'zod'
import { nameSchema } from './contract-config'

const linesSchema = z.tuple([z.int(), z.int()]).describe('the first and the last line, from 1')

const programSchema = z.object({
  entry_id: z.uuid(),
  team: z.string(),
  lines: z.int().describe('of the whole program'),
})

export const similarQuerySchema = z.object({
  min_share: z.coerce.number().min(0.05).max(1).default(0.3),
  limit: z.coerce.number().int().min(1).max(500).default(100),
})

/** Programs of different teams that resemble each other. A person must look at them: it decides nothing. */
export const similarSchema = z.object({
  phase: nameSchema,
  programs: z
    .int()
    .describe('how many were compared: the one of each team that counts, otherwise its last one'),
  left_out: z.int().describe('programs that were not compared: too large, too many, or deleted'),
  templates: z.int().describe('baselines of the staff, whose lines count as nobody’s'),
  pairs: z.array(
    z.object({
      share: z.number().describe('the part of the smaller program that the other one has, from 0 to 1'),
      a: programSchema,
      b: programSchema,
      matches: z.array(z.object({ a: linesSchema, b: linesSchema })).describe('the parts that are alike'),
    }),
  ),
})

export type Similar = z.infer<typeof similarSchema>
