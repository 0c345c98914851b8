/** What an engine is and can do. */
export interface EngineProperties {
  product: 'Docker' | 'Podman'
  /** What gpuq can do on Docker only. Sentences; empty for Docker. */
  limitations: readonly string[]
  /** Whether the worker learns that the kernel killed a container for memory. */
  reportsMemoryKills: boolean
  version: string
  /** Versions of its components; null: unknown, or it does not have it. */
  versions: Record<'engine' | 'runc' | 'toolkit', string | null>
  seccomp: boolean
  /** Whether it can limit each of these. */
  limits: Record<'memory' | 'swap' | 'cpu' | 'processes', boolean>
  liveRestore: boolean
  cgroupVersion: string | null
  /** Its directory for images and containers. */
  directory: string | null
}

export interface EngineInfo {
  id: string
  version: string
  cpuMilli: number
  memoryMib: number
  properties: EngineProperties
  /** Why jobs with internet access cannot start or are not restricted; null: they can, and are. */
  internetProblem: string | null
  /** Warnings about outdated or missing features of this engine. */
  warnings: string[]
}
