import type { GpuReading, GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { type MigSlice, parseMigList } from './mig'
import { type GpuField, gpuFields, type PhysicalGpu, parseNvidiaSmi } from './nvidia-smi'
import { type NvidiaSmiAnswer, NvidiaSmiFault, runNvidiaSmi } from './run-nvidia-smi'

const unknownField = /Field "([^"]+)" is not a valid field/

/**
 * What nvidia-smi says of this machine's GPUs now. Each slice of a GPU in MIG mode is a GPU of its own.
 * @throws {NvidiaSmiFault} when it is absent, hangs, or says nothing of any GPU.
 */
export async function readGpus(patienceMs = 10_000): Promise<GpuReport> {
  const { gpus, faults } = await query(gpuFields, patienceMs)
  if (!gpus.some(({ inMigMode }) => inMigMode)) return { gpus: gpus.map(withoutMode), faults }
  const { stdout } = await runNvidiaSmi(['-L'], patienceMs)
  const slicesOf = parseMigList(stdout)
  const served = gpus.flatMap((gpu) => (gpu.inMigMode ? slicesAsGpus(gpu, slicesOf) : [withoutMode(gpu)]))
  const empty = gpus.filter(({ inMigMode, uuid }) => inMigMode && !slicesOf.get(uuid)?.length)
  return {
    // Slices have no numbers that are unique on the machine: all are counted, as CUDA does.
    gpus: served.map((gpu, index) => ({ ...gpu, index })),
    faults: [
      // Their numbers would be mistaken for the new ones.
      ...faults.map((fault) => ({ ...fault, index: null })),
      ...empty.map(({ uuid }) => ({
        index: null,
        uuid,
        message: `${uuid} is in MIG mode without any slice: make some with "nvidia-smi mig -cgi", or end the mode.`,
      })),
    ],
  }
}

async function query(
  fields: readonly GpuField[],
  patienceMs: number,
): Promise<ReturnType<typeof parseNvidiaSmi>> {
  const asked = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits']
  const answer = await runNvidiaSmi(asked, patienceMs)
  // Old drivers do not know every field.
  const unknown = unknownField.exec(answer.stdout)?.[1] ?? unknownField.exec(answer.complaint ?? '')?.[1]
  const known = fields.filter((field) => field !== unknown)
  if (known.length < fields.length) return query(known, patienceMs)
  const parsed = parseNvidiaSmi(answer.stdout, fields)
  if (isEmptyReading(parsed, answer)) {
    throw new NvidiaSmiFault('failed', answer.complaint ?? answer.stdout.trim().split('\n')[0] ?? '')
  }
  return parsed
}

/** A machine without GPUs prints nothing; a driver that does not work prints a sentence. */
function isEmptyReading(
  { gpus, faults }: ReturnType<typeof parseNvidiaSmi>,
  answer: NvidiaSmiAnswer,
): boolean {
  if (gpus.length > 0) return false
  if (faults.some(({ index, uuid }) => index !== null || uuid !== null)) return false
  return answer.complaint !== null || faults.length > 0
}

function withoutMode({ inMigMode: _, ...gpu }: PhysicalGpu): GpuReading {
  return gpu
}

/** Of a slice's own use nvidia-smi says nothing here; its warmth is its GPU's. */
function slicesAsGpus(gpu: PhysicalGpu, slicesOf: Map<string, MigSlice[]>): GpuReading[] {
  return (slicesOf.get(gpu.uuid) ?? []).map(({ uuid, profile, memoryMib }) => ({
    ...withoutMode(gpu),
    uuid,
    model: `${gpu.model} MIG ${profile}`,
    memoryMib,
    load: null,
    memoryUsedMib: null,
    powerW: null,
  }))
}
