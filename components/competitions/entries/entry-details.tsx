import type { ReactNode } from 'react'
import type { Entry } from '@/lib/competitions/contract-entries'
import { DataList, Datum } from '../../ui/data-list'
import { Dialog } from '../../ui/dialog'
import { formatSeconds } from '../../ui/format-time'
import { entryTitle } from './entry-title'

/** What an entry ran with: everything that its score depends on. */
export function EntryDetails({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { provenance, seconds, source_sha256 } = entry
  if (provenance === null) return null
  const { scorer_version, data, seed, image, gpus } = provenance
  return (
    <Dialog title={`What ${entryTitle(entry)} ran with`} onClose={onClose}>
      <DataList className="grid-cols-1 sm:grid-cols-1">
        <Datum label="Data">
          <Mono>{Object.values(data).join(', ') || '–'}</Mono>
        </Datum>
        <Datum label="Version of the scoring program">{scorer_version}</Datum>
        <Datum label="GPUs">{gpus.join(', ') || 'none'}</Datum>
        <Datum label="Run time">{seconds === null ? '–' : formatSeconds(seconds)}</Datum>
        <Datum label="GPUQ_SEED">
          <Mono>{seed}</Mono>
        </Datum>
        <Datum label="Image">
          <Mono>{image ?? '–'}</Mono>
        </Datum>
        <Datum label="SHA-256 of the program">
          <Mono>{source_sha256}</Mono>
        </Datum>
      </DataList>
    </Dialog>
  )
}

function Mono({ children }: { children: ReactNode }) {
  return <span className="font-mono text-xs wrap-anywhere">{children}</span>
}
