import { type ResultFileRecord, recordSchema } from '@/lib/contract/records'

/** The records of some lines. Skips invalid lines, so that the rest of the output is shown. */
export function parseRecords(lines: readonly string[]): ResultFileRecord[] {
  return lines.flatMap((line) => {
    const record = recordSchema.safeParse(parseJson(line))
    return record.success ? [record.data] : []
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
