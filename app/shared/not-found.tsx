import { Link2Off } from 'lucide-react'
import { EmptyState } from '@/components/ui/empty-state'

/** The same for a link that never existed, has expired or was revoked. */
export default function SharedNotFound() {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center p-4">
      <div>
        <h1 className="sr-only">Link not valid</h1>
        <EmptyState icon={Link2Off} title="This link is not valid">
          It is incomplete, has expired or was revoked. Ask the person who sent it for a new one.
        </EmptyState>
      </div>
    </main>
  )
}
