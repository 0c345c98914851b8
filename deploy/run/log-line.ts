import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import { parseJson } from '@/lib/contract/parse-json'

const entrySchema = z.looseObject({ level: z.number(), time: z.string(), msg: z.string() })
const warnLevel = 40

/** Formats a JSON line of a log: the message first, then the other fields. Only removes colours from other lines. */
export function formatLogLine(line: string): string {
  const entry = entrySchema.safeParse(parseJson(line)).data
  if (!entry) return stripVTControlCharacters(line)
  const { level, time: _, msg, ...fields } = entry
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  return `${level >= warnLevel ? '! ' : ''}${msg}${rest.join('')}`
}
