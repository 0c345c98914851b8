import * as z from 'zod'

/** How `gpuq submit` and `gpuq run` offer a key. */
interface OptionOffer {
  /** As in `-e, --env <name=value>`. Left out: made of the key's name. */
  flags?: string
  /** Left out: the description of the key. */
  description?: string | { submit: string; run: string }
  /** How a value is written. Left out: as the type of the key suggests. */
  value?: 'text' | 'duration' | 'list' | 'mounts'
  /** Left out: both. */
  commands?: readonly ('submit' | 'run')[]
  /** Whether `gpuq run` has it only with a directory. Left out: if the queue API does not have the key. */
  needsDirectory?: boolean
}

/** How the ways to submit a job offer a key of the config. False: they do not. Left out: as the key is declared. */
export interface KeyOffer {
  queue?: false | { description: string }
  /** The tools for agents, which offer only keys of the queue API. */
  agent?: false | { description: string }
  option?: false | OptionOffer
}

/** The same schema without its default: a request may leave it out. */
type Bare<Schema> = Schema extends z.ZodOptional<infer Inner> | z.ZodDefault<infer Inner> ? Inner : Schema

type NotOffered<Offers, Way extends 'queue' | 'agent'> = {
  [Key in keyof Offers]: Offers[Key] extends Record<Way, false> ? Key : never
}[keyof Offers]

type OfferedShape<Shape extends z.ZodRawShape, Offers, Way extends 'queue' | 'agent'> = {
  [Key in Exclude<keyof Shape, NotOffered<Offers, Way>>]: z.ZodOptional<Bare<Shape[Key]>>
}

/** The keys of a config that the queue API or the tools for agents offer, each optional and without its default. */
export function offeredKeys<
  Shape extends Record<string, z.ZodType>,
  Offers extends Readonly<Record<string, KeyOffer>>,
  Way extends 'queue' | 'agent',
>(shape: Shape, of: Offers, way: Way): OfferedShape<Shape, Offers, Way> {
  const keys = Object.entries(shape).flatMap(([key, schema]) => {
    const offer = of[key]?.[way]
    if (offer === false) return []
    const { description = '' } = offer ?? schema.meta() ?? {}
    return [[key, bare(schema).optional().describe(description)]]
  })
  return Object.fromEntries(keys)
}

/** A schema without `optional` and `default`, and without their description. */
export function bare(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? bare(schema.unwrap() as z.ZodType) : schema
}
