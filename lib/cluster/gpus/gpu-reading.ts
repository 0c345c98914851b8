/** What nvidia-smi said of one GPU. Figures are null where it did not say. */
export interface GpuReading {
  index: number
  uuid: string
  model: string
  memoryMib: number
  /** A share of 1. */
  load: number | null
  memoryUsedMib: number | null
  temperatureC: number | null
  powerW: number | null
  /** What is wrong with it, in a sentence: it is not given out. */
  fault: string | null
}

/** A GPU of which too little could be read to serve it. */
export interface GpuFault {
  /** Null where even that could not be read. */
  index: number | null
  uuid: string | null
  /** What is wrong with it, in a sentence. */
  message: string
}

/** What nvidia-smi said of a node's GPUs at one moment. */
export interface GpuReport {
  gpus: GpuReading[]
  faults: GpuFault[]
}
