import { type ResultFileRecord, recordSchema } from '@/lib/results/records'

/** The records of an `output` event, one a line. One that is none is passed over: the rest of the output still shows. */
export function parseOutputEvent(data: string): ResultFileRecord[] {
  return data.split('\n').flatMap((line) => {
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
