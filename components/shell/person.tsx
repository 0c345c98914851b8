interface PersonProps {
  /** The user id. */
  handle: string
  name: string | null | undefined
}

/** A user: the name with the user id beside it, or only the user id if the user has no name. */
export function Person({ handle, name }: PersonProps) {
  if (!name) return handle
  return (
    <span className="wrap-anywhere">
      {name} <span className="text-subtle">({handle})</span>
    </span>
  )
}

/** The same as plain text. */
export function formatPerson(handle: string, name: string | null | undefined): string {
  return name ? `${name} (${handle})` : handle
}
