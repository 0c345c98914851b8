import { type Env, env, parseBucket } from '../env'
import { diskStore } from './disk'
import { s3Store } from './s3'
import type { ObjectStore } from './store'

let store: ObjectStore | undefined

/** The store of this installation: a bucket where GPUQ_STORAGE names one, else the data directory. */
export function storage(): ObjectStore {
  store ??= storeOf(env())
  return store
}

/** For tests: makes another store this process's. */
export function setStorage(other: ObjectStore): void {
  store = other
}

function storeOf(settings: Env): ObjectStore {
  const { GPUQ_STORAGE, GPUQ_S3_ENDPOINT, GPUQ_S3_REGION } = settings
  if (GPUQ_STORAGE === undefined) return diskStore(settings.GPUQ_DATA_DIR)
  const { GPUQ_S3_ACCESS_KEY_ID: accessKeyId, GPUQ_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new Error('Set both GPUQ_S3_ACCESS_KEY_ID and GPUQ_S3_SECRET_ACCESS_KEY, or neither.')
  }
  return s3Store({
    ...parseBucket(GPUQ_STORAGE),
    region: GPUQ_S3_REGION,
    ...(GPUQ_S3_ENDPOINT === undefined ? {} : { endpoint: GPUQ_S3_ENDPOINT }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  })
}
