import { z } from 'zod'

/** The part of JSON Schema that gpuq's OpenAPI document uses. */
const schemaSchema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  contentMediaType: z.string().optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaSchema).optional()
  },
  /** False: an array has the items of `prefixItems` and no others. */
  get items() {
    return z.union([schemaSchema, z.literal(false)]).optional()
  },
  get prefixItems() {
    return z.array(schemaSchema).optional()
  },
  get anyOf() {
    return z.array(schemaSchema).optional()
  },
  get oneOf() {
    return z.array(schemaSchema).optional()
  },
  get allOf() {
    return z.array(schemaSchema).optional()
  },
})

export type Schema = z.infer<typeof schemaSchema>

const contentSchema = z.record(z.string(), z.object({ schema: schemaSchema.optional() }))

const operationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.tuple([z.string()]),
  security: z.array(z.unknown()).optional(),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean(),
      description: z.string().optional(),
      schema: schemaSchema,
    }),
  ),
  requestBody: z
    .object({ required: z.boolean(), description: z.string().optional(), content: contentSchema })
    .optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentSchema.optional() })),
})

export type DocumentedOperation = z.infer<typeof operationSchema>

/** The part of an OpenAPI document that gpuq reads. */
export const openapiSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
})
