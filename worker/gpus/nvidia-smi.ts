import { z } from 'zod'
import type { Gpu } from './gpu'

const row = z.tuple([
  z.coerce.number().int().min(0),
  z.string().regex(/^(GPU|MIG)-[0-9A-Za-z-]+$/),
  z.string().min(1),
  z.coerce.number().int().positive(),
])

/**
 * Parses `index, uuid, name, memory.total` as csv,noheader,nounits. A line that does not read, such as one of `[N/A]`
 * or `ERR!`, is a GPU that is not served; it is named in `problems`.
 */
export function parseNvidiaSmi(output: string): { gpus: Gpu[]; problems: string[] } {
  const gpus: Gpu[] = []
  const problems: string[] = []
  for (const line of output.split('\n').filter((text) => text.trim() !== '')) {
    const [index, uuid, ...rest] = line.split(',').map((cell) => cell.trim())
    // A model's name may hold commas; what stands around it does not.
    const parsed = row.safeParse([index, uuid, rest.slice(0, -1).join(', '), rest.at(-1)])
    if (parsed.success) {
      const [place, id, model, memoryMib] = parsed.data
      gpus.push({ index: place, uuid: id, model, memoryMib, simulated: false })
    } else problems.push(`nvidia-smi says of one GPU only "${line.trim().slice(0, 120)}"; it is not served.`)
  }
  return { gpus, problems }
}
