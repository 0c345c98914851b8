import { CircleAlert, CircleCheck, Info, LoaderCircle, TriangleAlert } from 'lucide-react'
import { type FocusEvent, useEffect, useRef } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import type { ToastListProps } from './toast-request'

const icon = 'size-4'

// A page with buttons at the bottom of the window says how high they are (`useFooterHeight`).
const aboveFooter = { bottom: 'calc(1rem + var(--footer-height, 0px))', right: '1rem', left: '1rem' }

/**
 * Sonner returns each focus that leaves a toast to where it came from, so that Tab would never get past a toast. These handlers keep the
 * events from Sonner, and return the focus only of a toast that ends.
 */
function useToastFocus() {
  const list = useRef<HTMLDivElement>(null)
  const focused = useRef<Element>(null)
  const origin = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!list.current) return
    // The browser reports no blur of an element that is removed.
    const observer = new MutationObserver(() => {
      if (!focused.current || focused.current.isConnected) return
      focused.current = null
      origin.current?.focus({ preventScroll: true })
    })
    observer.observe(list.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return {
    ref: list,
    onFocusCapture: (event: FocusEvent) => {
      event.stopPropagation()
      focused.current = event.target
      const { relatedTarget } = event
      if (relatedTarget instanceof HTMLElement && !list.current?.contains(relatedTarget))
        origin.current = relatedTarget
    },
    onBlurCapture: (event: FocusEvent) => {
      event.stopPropagation()
      focused.current = null
    },
  }
}

/** Shows toasts in a corner of the window. */
export function ToastList({ take, count }: ToastListProps) {
  useEffect(() => {
    if (count === 0) return
    for (const { kind, title, options } of take()) toast[kind](title, options)
  }, [take, count])
  return (
    <div {...useToastFocus()}>
      <Sonner
        position="bottom-right"
        offset={aboveFooter}
        mobileOffset={aboveFooter}
        gap={8}
        style={{ fontFamily: 'inherit' }}
        icons={{
          success: <CircleCheck aria-hidden className={`${icon} text-success-ink`} />,
          info: <Info aria-hidden className={`${icon} text-info-ink`} />,
          warning: <TriangleAlert aria-hidden className={`${icon} text-warning-ink`} />,
          error: <CircleAlert aria-hidden className={`${icon} text-danger-ink`} />,
          loading: <LoaderCircle aria-hidden className={`${icon} animate-spin text-muted`} />,
        }}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast:
              'flex w-full items-start gap-2.5 rounded-lg border bg-raised px-3 py-2.5 text-ink text-sm shadow-float sm:w-88',
            icon: 'mt-0.5 shrink-0',
            content: 'min-w-0 flex-1 break-words',
            title: 'font-medium',
            description: 'text-muted',
            actionButton: 'h-6 shrink-0 rounded-md border px-2 font-medium text-xs hover:bg-hover',
            cancelButton: 'h-6 shrink-0 rounded-md px-2 text-muted text-xs hover:bg-hover',
          },
        }}
      />
    </div>
  )
}
