'use client'

import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'

/** The link of an invitation. It is shown only once. */
export function InvitationLink({ handle, url }: { handle: string; url: string }) {
  return (
    <div className="flex flex-col gap-3">
      <Callout tone="warning" title="Copy it now">
        gpuq shows this link only once. Send it to {handle}. The first person who opens it sets the password.
      </Callout>
      <CodeBlock label="invitation link" title="Invitation" code={url} wrap />
    </div>
  )
}
