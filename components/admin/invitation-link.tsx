import { ShownOnce } from '../shell/shown-once'

/** The link of an invitation. */
export function InvitationLink({ handle, url }: { handle: string; url: string }) {
  return (
    <ShownOnce
      label="invitation link"
      title="Invitation"
      secret={url}
      note={`You see this link only once. Send it to ${handle}. The first person who opens it sets the password.`}
    />
  )
}
