import { Download } from 'lucide-react'
import { api } from '@/components/queries/queries'
import type { Snapshot } from '@/lib/contract/archives/snapshots'
import { buttonStyles } from '../ui/button'
import { cn } from '../ui/class-names'

/** Downloads a version as a tar file. */
export function DownloadLink({ snapshot: { id, name, version } }: { snapshot: Snapshot }) {
  return (
    <a
      href={api.snapshots.downloadUrl(id)}
      download
      aria-label={`Download ${name}@${version}`}
      title="Download as a tar file"
      className={cn(buttonStyles({ size: 'sm', variant: 'ghost' }), 'relative')}
    >
      <Download aria-hidden />
    </a>
  )
}
