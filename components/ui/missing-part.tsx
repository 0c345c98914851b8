import { Component, type ReactNode, useSyncExternalStore } from 'react'
import { Button } from './button'
import { Callout } from './callout'

let missing = false
const listeners = new Set<() => void>()

/** A part of the page could not be loaded: the connection failed, or the server has a new version. */
export function reportMissingPart(): void {
  missing = true
  for (const listener of listeners) listener()
}

/** Loads code that an action needs. If that fails, the error says what to do, which is not what the browser says. */
export async function loadPart<Part>(
  load: () => Promise<Part>,
  help = 'Try again, or reload the page.',
): Promise<Part> {
  return load().catch((cause: unknown) => {
    throw new Error(`A part of this page could not be loaded, so nothing was sent. ${help}`, { cause })
  })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says that a part is missing. @param kept what a reload keeps */
export function MissingPart({ kept = '' }: { kept?: string | undefined }) {
  return (
    <Callout
      tone="warning"
      announce
      title="A part of this page could not be loaded"
      action={
        <Button size="sm" onClick={() => window.location.reload()}>
          Reload
        </Button>
      }
    >
      The connection failed, or gpuq was updated. {kept}
    </Callout>
  )
}

/** {@link MissingPart} above the page, for parts that have no place in it. Rendered once for the whole site. */
export function MissingPartNotice() {
  const shown = useSyncExternalStore(
    subscribe,
    () => missing,
    () => false,
  )
  if (!shown) return null
  return (
    <div className="fixed inset-x-4 bottom-[calc(1rem+var(--footer-height,0px))] z-50 mx-auto max-w-lg rounded-lg bg-raised shadow-float">
      <MissingPart />
    </div>
  )
}

interface PartBoundaryProps {
  /** What a reload keeps. */
  kept?: string
  /** Shown instead of the sentence. */
  fallback?: ReactNode
  children: ReactNode
}

/** Keeps the rest of the page if the code of a part cannot be loaded. */
export class PartBoundary extends Component<PartBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    const { kept, fallback, children } = this.props
    return this.state.failed ? (fallback ?? <MissingPart kept={kept} />) : children
  }
}
