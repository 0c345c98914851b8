'use client'

import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'

/** An invitation's link, the only time it is shown. */
export function InvitationLink({ handle, url }: { handle: string; url: string }) {
  return (
    <div className="flex flex-col gap-3">
      <Callout tone="warning" title="Copy it now">
        The link is shown this once. Send it to {handle}: whoever opens it first sets the password.
      </Callout>
      <CodeBlock label="invitation link" title="Invitation" code={url} wrap />
    </div>
  )
}
