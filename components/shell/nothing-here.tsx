import { Compass } from 'lucide-react'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'

/** Stands where there is no such page, or none for this reader. */
export function NothingHere() {
  return (
    <>
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={Compass}
        title="There is nothing here for you"
        action={<ButtonLink href="/jobs">Go to the jobs</ButtonLink>}
        className="py-24"
      >
        The address is wrong, the thing is gone, or it belongs to someone else.
      </EmptyState>
    </>
  )
}
