/** A reading of one GPU from nvidia-smi. Figures are null if nvidia-smi does not report them. */
export interface GpuReading {
  index: number
  uuid: string
  model: string
  memoryMib: number
  /** A fraction between 0 and 1. */
  load: number | null
  memoryUsedMib: number | null
  temperatureC: number | null
  powerW: number | null
  /** The fault of the GPU, as a sentence. A faulty GPU is not allocated. */
  fault: string | null
}

/** A GPU for which nvidia-smi reports too little to use it. */
export interface GpuFault {
  /** Null if even the index is unknown. */
  index: number | null
  uuid: string | null
  /** The fault, as a sentence. */
  message: string
}

/** One nvidia-smi report about all GPUs of a node. */
export interface GpuReport {
  gpus: GpuReading[]
  faults: GpuFault[]
}
