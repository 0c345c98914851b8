/** To whom stored files count. */
export interface StorageOwner {
  userId: string
  projectId: string
}

/** Bytes that this process is storing and that no row has yet, by the id of a user or a project. */
// Next.js loads modules again for each route bundle; the counts are kept once per process.
const shared = globalThis as typeof globalThis & { gpuqUploadBytes?: Map<string, number> }
shared.gpuqUploadBytes ??= new Map()
const counts = shared.gpuqUploadBytes

/** Counts bytes to their owner until a row has them or they are given up: until the returned function is called. */
export function countUpload({ userId, projectId }: StorageOwner, bytes: number): () => void {
  for (const id of [userId, projectId]) counts.set(id, bytesInProgress(id) + bytes)
  let ended = false
  return () => {
    if (ended) return
    ended = true
    for (const id of [userId, projectId]) {
      const left = bytesInProgress(id) - bytes
      if (left > 0) counts.set(id, left)
      else counts.delete(id)
    }
  }
}

/** The bytes that are being stored for a user or a project. */
export function bytesInProgress(id: string): number {
  return counts.get(id) ?? 0
}
