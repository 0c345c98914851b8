import type { GpuReading, GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import { type GpuField, gpuFields, type PhysicalGpu, parseNvidiaSmi } from './nvidia-smi'
import { type NvidiaSmiAnswer, NvidiaSmiFault, runNvidiaSmi } from './run-nvidia-smi'

const unknownField = /Field "([^"]+)" is not a valid field/

/**
 * Reads this machine's GPUs from nvidia-smi. Each slice of a GPU in MIG mode is a separate GPU.
 * @throws {NvidiaSmiFault} if it is absent, hangs, or reports no GPU.
 */
export async function readGpus(timeoutMs = 10_000): Promise<GpuReport> {
  const { gpus, faults } = await query(gpuFields, timeoutMs)
  if (!gpus.some(({ inMigMode }) => inMigMode)) return { gpus: gpus.map(withoutMode), faults }
  const { stdout } = await runNvidiaSmi(['-L'], timeoutMs)
  const slicesOf = parseMigList(stdout)
  const served = gpus.flatMap((gpu) => (gpu.inMigMode ? slicesAsGpus(gpu, slicesOf) : [withoutMode(gpu)]))
  const empty = gpus.filter(({ inMigMode, uuid }) => inMigMode && !slicesOf.get(uuid)?.length)
  return {
    // Slices have no unique index on the machine, so all GPUs are numbered again, like in CUDA.
    gpus: served.map((gpu, index) => ({ ...gpu, index })),
    faults: [
      // The old indexes would be confused with the new ones.
      ...faults.map((fault) => ({ ...fault, index: null })),
      ...empty.map(({ uuid }) => ({
        index: null,
        uuid,
        message: `${uuid} is in MIG mode without any slice. Create slices with "nvidia-smi mig -cgi", or disable the mode.`,
      })),
    ],
  }
}

async function query(
  fields: readonly GpuField[],
  timeoutMs: number,
): Promise<ReturnType<typeof parseNvidiaSmi>> {
  const asked = [`--query-gpu=${fields.join(',')}`, '--format=csv,noheader,nounits']
  const answer = await runNvidiaSmi(asked, timeoutMs)
  // Old drivers do not know every field.
  const unknown = unknownField.exec(answer.stdout)?.[1] ?? unknownField.exec(answer.errorMessage ?? '')?.[1]
  const known = fields.filter((field) => field !== unknown)
  if (known.length < fields.length) return query(known, timeoutMs)
  const parsed = parseNvidiaSmi(answer.stdout, fields)
  if (isEmptyReading(parsed, answer)) {
    throw new NvidiaSmiFault('failed', answer.errorMessage ?? answer.stdout.trim().split('\n')[0] ?? '')
  }
  return parsed
}

/** A machine without GPUs prints nothing; a broken driver prints a message. */
function isEmptyReading(
  { gpus, faults }: ReturnType<typeof parseNvidiaSmi>,
  answer: NvidiaSmiAnswer,
): boolean {
  if (gpus.length > 0) return false
  if (faults.some(({ index, uuid }) => index !== null || uuid !== null)) return false
  return answer.errorMessage !== null || faults.length > 0
}

function withoutMode({ inMigMode: _, ...gpu }: PhysicalGpu): GpuReading {
  return gpu
}

/** nvidia-smi does not report the usage of a slice; the temperature is that of its GPU. */
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

/** One slice of a GPU in MIG mode, which jobs use like a GPU. */
interface MigSlice {
  uuid: string
  /** For example `3g.20gb` or `1c.3g.20gb+me`. */
  profile: string
  memoryMib: number
}

const gpuLine = /^GPU \d+: .*\(UUID: (GPU-[0-9A-Za-z-]+)\)\s*$/
/** Drivers before 470 name a slice after its GPU: MIG-GPU-…/1/0. */
const sliceLine = /^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[0-9A-Za-z/-]+)\)\s*$/
const memoryOf = /(\d+)gb/

/** Parses `nvidia-smi -L`. Returns the slices of each GPU in MIG mode by the GPU's UUID. */
function parseMigList(output: string): Map<string, MigSlice[]> {
  const slicesOf = new Map<string, MigSlice[]>()
  let slices: MigSlice[] = []
  for (const line of output.split('\n')) {
    const [, gpu] = gpuLine.exec(line) ?? []
    if (gpu !== undefined) {
      slices = []
      slicesOf.set(gpu, slices)
    }
    const [, profile, uuid] = sliceLine.exec(line) ?? []
    const [, gigabytes] = memoryOf.exec(profile ?? '') ?? []
    if (profile !== undefined && uuid !== undefined && gigabytes !== undefined)
      slices.push({ uuid, profile, memoryMib: Number(gigabytes) * 1024 })
  }
  return slicesOf
}
