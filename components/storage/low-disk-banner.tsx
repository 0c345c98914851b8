import { useQuery } from '@tanstack/react-query'
import { diskQuery } from '@/components/queries/storage'
import { Callout } from '../ui/callout'
import { formatBytes } from '../ui/format-number'

/** Tells admins on every page that the server's disk is almost full. */
export function LowDiskBanner() {
  const { data: disk } = useQuery(diskQuery())
  if (!disk?.low) return null
  return (
    <Callout tone="danger" title="The server's disk is almost full" announce className="mb-5">
      {disk.free_bytes === null ? 'Too little' : formatBytes(disk.free_bytes)} of the data directory's disk is
      free, and gpuq needs {formatBytes(disk.min_free_bytes)}. It accepts no new jobs and uploads, running
      jobs continue, and results wait in the database. Free disk space, or lower GPUQ_MIN_FREE_GIB.
    </Callout>
  )
}
