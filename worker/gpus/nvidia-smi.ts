import { z } from 'zod'
import type { GpuFault, GpuReading } from '@/lib/cluster/gpus/gpu-reading'

/** The queried fields of each GPU, in order. */
export const gpuFields = [
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'mig.mode.current',
] as const
export type GpuField = (typeof gpuFields)[number]

/** A physical GPU. In MIG mode only its slices can be used. */
export interface PhysicalGpu extends GpuReading {
  inMigMode: boolean
}

const identity = z.object({
  index: z.coerce.number().int().min(0),
  uuid: z.string().regex(/^GPU-[0-9A-Za-z-]+$/),
  name: z.string().min(1),
  'memory.total': z.coerce.number().int().positive(),
})
const placeOf = z.coerce.number().int().min(0)

/** The values of a broken GPU, in any field. */
const faultPattern = /^(ERR!|\[GPU is lost\]|\[GPU requires reset\])$/i
/** Some healthy laptops also report this for the power, so it counts only in fields that every healthy GPU has. */
const unknownError = /^\[Unknown Error\]$/i
const alwaysKnown: readonly GpuField[] = ['memory.used', 'utilization.gpu']

/**
 * Parses the output of `--query-gpu` for `fields` as csv,noheader,nounits. Values such as `[N/A]`, `[Not Supported]`
 * or `[Insufficient Permissions]` are unknown. A line without the GPU's identity and memory is a fault.
 */
export function parseNvidiaSmi(
  output: string,
  fields: readonly GpuField[] = gpuFields,
): { gpus: PhysicalGpu[]; faults: GpuFault[] } {
  const gpus: PhysicalGpu[] = []
  const faults: GpuFault[] = []
  for (const line of output.split('\n').filter((text) => text.trim() !== '')) {
    const cells = splitLine(line, fields)
    const parsed = identity.safeParse(cells)
    if (parsed.success) gpus.push(readingOf(parsed.data, cells))
    else faults.push(faultOf(line, cells))
  }
  return { gpus, faults }
}

function splitLine(line: string, fields: readonly GpuField[]): Partial<Record<GpuField, string>> {
  const cells = line.split(',').map((cell) => cell.trim())
  // A model's name may contain commas; other fields do not.
  const name = fields.indexOf('name')
  const surplus = cells.length - fields.length
  if (surplus > 0) cells.splice(name, surplus + 1, cells.slice(name, name + surplus + 1).join(', '))
  return Object.fromEntries(fields.map((field, i) => [field, cells[i] ?? '']))
}

function readingOf(
  { index, uuid, name, 'memory.total': memoryMib }: z.output<typeof identity>,
  cells: Partial<Record<GpuField, string>>,
): PhysicalGpu {
  const load = figure(cells['utilization.gpu'])
  return {
    index,
    uuid,
    model: name,
    memoryMib,
    load: load === null ? null : Math.min(load / 100, 1),
    memoryUsedMib: rounded(figure(cells['memory.used'])),
    temperatureC: rounded(figure(cells['temperature.gpu'])),
    powerW: figure(cells['power.draw']),
    fault: faultIn(cells),
    inMigMode: cells['mig.mode.current'] === 'Enabled',
  }
}

function figure(cell: string | undefined): number | null {
  return cell !== undefined && /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : null
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value))

function faultIn(cells: Partial<Record<GpuField, string>>): string | null {
  for (const field of gpuFields) {
    const cell = cells[field] ?? ''
    if (faultPattern.test(cell) || (unknownError.test(cell) && alwaysKnown.includes(field)))
      return `nvidia-smi reports a fault: its ${field} is ${cell}.`
  }
  return null
}

function faultOf(line: string, cells: Partial<Record<GpuField, string>>): GpuFault {
  const index = placeOf.safeParse(cells.index === '' ? undefined : cells.index)
  const uuid = identity.shape.uuid.safeParse(cells.uuid)
  return {
    index: index.success ? index.data : null,
    uuid: uuid.success ? uuid.data : null,
    message: `nvidia-smi reports only "${line.trim().slice(0, 120)}".`,
  }
}
