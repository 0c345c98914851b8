import { storageOperations } from '@/lib/contract/operations/storage'
import { route } from '@/lib/http/route'
import { diskSpace } from '@/lib/storage/free-space'

export const GET = route(storageOperations.disk, async () => {
  const { freeBytes, minFreeBytes, low } = await diskSpace()
  return { free_bytes: Number.isFinite(freeBytes) ? freeBytes : null, min_free_bytes: minFreeBytes, low }
})
