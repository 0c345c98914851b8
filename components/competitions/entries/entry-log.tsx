import { useQuery } from '@tanstack/react-query'
import type { Entry } from '@/lib/competitions/contract-entries'
import { plainText } from '../../jobs/output/ansi/ansi-parse'
import { Loaded } from '../../shell/load-failure'
import { Dialog } from '../../ui/dialog'
import { ScrollRegion } from '../../ui/scroll-region'
import { Skeleton } from '../../ui/skeleton'
import { entryLogQuery, isUnfinished } from '../queries'
import { entryTitle } from './entry-title'

/** What the program of an entry has printed. Control sequences are removed, so that it cannot pretend to have printed something else. */
export function EntryLog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const query = useQuery(entryLogQuery(entry.id, isUnfinished(entry)))
  return (
    <Dialog title={`Output of ${entryTitle(entry)}`} onClose={onClose}>
      <Loaded query={query} placeholder={<Skeleton className="h-64" />}>
        {(log) =>
          log === '' ? (
            <p className="text-muted text-sm">The program has printed nothing.</p>
          ) : (
            <ScrollRegion
              aria-label="Output"
              className="max-h-[60vh] overflow-auto rounded-md border bg-sunken p-3"
            >
              <pre className="whitespace-pre-wrap wrap-anywhere font-mono text-xs leading-5">
                {log.split('\n').map(plainText).join('\n')}
              </pre>
            </ScrollRegion>
          )
        }
      </Loaded>
    </Dialog>
  )
}
