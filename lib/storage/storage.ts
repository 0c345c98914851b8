import { type Env, env } from '../env'
import { bucketPattern } from '../env/bucket'
import { diskStore } from './disk'
import { s3Store } from './s3'
import type { ObjectStore } from './store'

let store: ObjectStore | undefined

/** Returns the store of this installation: the bucket in GPUQ_STORAGE, otherwise the data directory. */
export function storage(): ObjectStore {
  store ??= storeOf(env())
  return store
}

/** Replaces the store of this process, for tests. */
export function setStorage(other: ObjectStore): void {
  store = other
}

function storeOf(settings: Env): ObjectStore {
  const { GPUQ_STORAGE, GPUQ_S3_ENDPOINT, GPUQ_S3_REGION } = settings
  if (GPUQ_STORAGE === undefined) return diskStore(settings.GPUQ_DATA_DIR)
  const { GPUQ_S3_ACCESS_KEY_ID: accessKeyId, GPUQ_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new Error(
      'GPUQ_S3_ACCESS_KEY_ID and GPUQ_S3_SECRET_ACCESS_KEY must both be set, or neither. Set the missing one.',
    )
  }
  const [, bucket = '', path = ''] = bucketPattern.exec(GPUQ_STORAGE) ?? []
  return s3Store({
    bucket,
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    region: GPUQ_S3_REGION,
    ...(GPUQ_S3_ENDPOINT === undefined ? {} : { endpoint: GPUQ_S3_ENDPOINT }),
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  })
}
