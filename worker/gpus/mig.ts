/** One slice of a GPU in MIG mode, which jobs use like a GPU. */
export interface MigSlice {
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
export function parseMigList(output: string): Map<string, MigSlice[]> {
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
