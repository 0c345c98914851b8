import * as z from 'zod'
import { causeIds, faults } from './causes'

/** A change of the config that can be made for the user. */
export const fixSchema = z.union([
  z.object({ key: z.literal('environment'), value: z.string() }),
  z.object({ key: z.enum(['memory_gb', 'max_time', 'gpu_count']), value: z.number() }),
  z.object({ key: z.literal('shell'), value: z.literal('bash') }),
])

/** The short form of a diagnosis. */
export const adviceSchema = z.object({
  title: z.string().describe('why it failed, as one sentence'),
  text: z.string().describe('what to change'),
  fix: fixSchema
    .nullable()
    .describe(
      'the key of the config to change, or shell: bash runs the command; null: only you can make the change',
    ),
})

const placeSchema = z.object({
  file: z.string().describe('relative to the directory of the job, if it is in there'),
  line: z.int(),
  function: z.string().nullable(),
  code: z.string().nullable().describe('the line, as the program printed it or as it was submitted'),
  context: z
    .array(z.object({ line: z.int(), text: z.string() }))
    .describe('the lines around it, if gpuq has the file; empty: it does not'),
})

/** Why a job failed: the same on its page, in the command line, in notifications and for agents. */
export const diagnosisSchema = z.object({
  cause: z.enum(causeIds).describe('exception: none of the other causes is known'),
  summary: z.string().describe('the cause as one sentence'),
  fault: z.enum(faults).describe('who can remove the cause; dependency: another job'),
  error: z.string().nullable().describe('the exception or message, as the program printed it'),
  rank: z.int().nullable().describe('which instance failed first; null: the job has one'),
  node: z.string().nullable().describe('the node of that instance'),
  place: placeSchema.nullable().describe('the last line of your own code that led to it'),
  evidence: z.array(z.string()).describe('at most 12 lines of the output, as the program printed them'),
  next_step: z.string().describe('what to change or to do'),
  fix: fixSchema.nullable().describe('the key of the config to change; shell: bash runs the command'),
})

export type Advice = z.infer<typeof adviceSchema>
export type Fix = z.infer<typeof fixSchema>
export type Place = z.infer<typeof placeSchema>
export type Diagnosis = z.infer<typeof diagnosisSchema>
