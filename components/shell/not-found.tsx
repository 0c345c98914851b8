import { Compass } from 'lucide-react'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'

/** Shown if a page does not exist or the user has no access. */
export function NotFound() {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={Compass}
        title="Page not found"
        action={<ButtonLink href="/jobs">Go to jobs</ButtonLink>}
        className="py-24"
      >
        The address is wrong, the item was deleted, or you have no access to it.
      </EmptyState>
    </>
  )
}
