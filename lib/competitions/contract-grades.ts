import * as z from 'zod'
import { time } from '../contract/access/access'
import { label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'
import { nameSchema } from './contract-config'

export const gradeFormats = ['plain', 'canvas', 'moodle'] as const

export const extensionSchema = z.object({
  until: time,
  reason: z.string(),
  by: idSchema.nullable().describe('null: the account was deleted'),
  at: time,
})

export const overrideSchema = z.object({
  value: z.number(),
  reason: z.string(),
  by: idSchema.nullable().describe('null: the account was deleted'),
  at: time,
})

export const penaltySchema = z.object({
  days_late: z.int(),
  grace_days_used: z.int(),
  percent: z.number().describe('the part of the score that is taken'),
  explanation: z.string(),
})

/** The grade of a participant in a phase. */
export const gradeCellSchema = z.object({
  phase: nameSchema,
  value: z
    .number()
    .nullable()
    .describe('after the penalty, or what the staff has set instead; null: no entry counts'),
  points: z
    .number()
    .nullable()
    .describe('the most that the phase gives; null: the value is the score itself'),
  column: z.string().describe('the column whose score counts'),
  raw: z.number().nullable().describe('the score of the entry that counts, before the penalty'),
  entry_id: z.uuid().nullable(),
  penalty: penaltySchema.nullable().describe('of the entry that counts, or of the last one that is too late'),
  extension: extensionSchema.nullable(),
  override: overrideSchema.nullable(),
})

export const gradesSchema = z.object({
  user_id: idSchema,
  name: z.string().nullable(),
  section: z.string().nullable(),
  team: z.string().nullable(),
  grace_days: z.int(),
  grace_days_left: z.int(),
  cells: z.array(gradeCellSchema).describe('one for each phase'),
})

export const gradeListQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().optional(),
})

export const gradeCsvQuerySchema = z.object({
  format: z.enum(gradeFormats).default('plain').describe('the product that imports the file'),
})

/** `PUT /api/competitions/{id}/phases/{phase}/extensions/{user}`. */
export const putExtensionSchema = z.strictObject({
  until: z
    .string()
    .max(40)
    .describe('a time such as 2027-02-03T12:00, which is read in the time zone of the competition'),
  reason: label(500),
})

/** `PUT /api/competitions/{id}/grades/{user}/{phase}`. */
export const putOverrideSchema = z.strictObject({
  value: z.number().min(-1e9, 'must be at least -1000000000').max(1e9, 'must be at most 1000000000'),
  reason: label(500),
})

export type Extension = z.infer<typeof extensionSchema>
export type Override = z.infer<typeof overrideSchema>
export type GradeCell = z.infer<typeof gradeCellSchema>
export type Grades = z.infer<typeof gradesSchema>
export type GradeFormat = (typeof gradeFormats)[number]
