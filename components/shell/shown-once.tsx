import type { ReactNode } from 'react'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'
import { DialogClose } from '../ui/dialog'

interface ShownOnceProps {
  /** The name for screen readers. */
  label: string
  title: string
  secret: string
  /** What the user should know about the secret. */
  note: ReactNode
  children?: ReactNode
}

/** A secret that gpuq does not show again. */
export function ShownOnce({ label, title, secret, note, children }: ShownOnceProps) {
  return (
    <div className="flex flex-col gap-3">
      <Callout tone="warning" title="Copy it now">
        {note}
      </Callout>
      <CodeBlock label={label} title={title} code={secret} wrap />
      {children}
    </div>
  )
}

/** Closes a dialog that showed a secret. */
export function CopiedButton() {
  return (
    <DialogClose>
      <Button variant="primary">Done, I copied it</Button>
    </DialogClose>
  )
}
