import { GpuqError } from '@/lib/contract/errors'

/** The result, or null if the object does not exist or the actor may not see it. */
export async function nullIfNotFound<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof GpuqError && error.code === 'not_found') return null
    throw error
  }
}
