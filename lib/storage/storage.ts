import { env } from '../env'
import { diskStore } from './disk'
import type { ObjectStore } from './store'

/** The store of this installation. */
export function storage(): ObjectStore {
  return diskStore(env().GPUQ_DATA_DIR)
}
