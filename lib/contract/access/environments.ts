import * as z from 'zod'
import { line } from '../config/values'
import { idSchema } from '../jobs'
import { time } from './access'

const moduleName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/, 'use the name of a Python module, such as torch or sklearn.svm')

export const environmentSchema = z.object({
  name: idSchema,
  image: z.string(),
  description: z.string().nullable(),
  network: z.enum(['none', 'internet']),
  prepare: z
    .array(z.string())
    .describe('Python modules that warm containers import before their job is known'),
  prepare_problem: z
    .string()
    .nullable()
    .describe('why a node does not use these imports; null: no problem is known. Only admins see it'),
  prepare_problem_at: time.nullable(),
  is_default: z.boolean(),
  enabled: z.boolean(),
})

/** The Python modules that warm containers of an environment import. */
export const prepareSchema = z
  .array(moduleName)
  .max(20, 'use at most 20 modules')
  .refine((modules) => new Set(modules).size === modules.length, 'names a module twice')

const environmentFields = {
  image: z
    .string()
    .trim()
    .max(300)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/, 'use an image name such as "pytorch/pytorch:2.8.0"'),
  description: line(300).nullable(),
  network: z.enum(['none', 'internet']),
  prepare: prepareSchema.describe('Python modules that warm containers import before their job is known'),
  is_default: z.boolean(),
}

export const createEnvironmentSchema = z.strictObject({
  name: idSchema,
  image: environmentFields.image,
  description: environmentFields.description.default(null),
  network: environmentFields.network.default('none'),
  prepare: environmentFields.prepare.default([]),
  is_default: environmentFields.is_default.default(false),
})

/** Has no defaults, because absent fields of a PATCH keep their values. */
export const updateEnvironmentSchema = z
  .strictObject({ ...environmentFields, enabled: z.boolean() })
  .partial()

export type Environment = z.infer<typeof environmentSchema>
export type UpdateEnvironment = z.input<typeof updateEnvironmentSchema>
