import { type ReactElement, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { withHandlers } from './with-handlers'

const delayMs = 400
/** After another tooltip closed, a tooltip opens at once for this long. */
const skipDelayMs = 200
/** The pointer can move from the element to its tooltip. */
const leaveMs = 150
const gapPx = 6
const edgePx = 8

/** Only one tooltip is open. */
let closeOpen: (() => void) | undefined
let closedAt = Number.NEGATIVE_INFINITY

interface TooltipProps {
  content: ReactNode
  /** The explained element. It must be focusable for the keyboard. */
  children: ReactElement
}

/** A short explanation on hover or focus. Never the only source of information. */
export function Tooltip({ content, children }: TooltipProps) {
  const id = useId()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const close = () => {
    clearTimeout(timer.current)
    if (anchor) closedAt = performance.now()
    setAnchor(null)
  }
  const open = (element: HTMLElement) => {
    clearTimeout(timer.current)
    closeOpen?.()
    closeOpen = () => setAnchor(null)
    setAnchor(element)
  }
  const later = (act: () => void, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(act, ms)
  }
  const own = (children.props as Record<string, unknown>)['aria-describedby']
  const trigger = withHandlers(
    children,
    {
      onPointerEnter: ({ pointerType, currentTarget }) => {
        if (pointerType === 'touch') return
        if (anchor || performance.now() - closedAt < skipDelayMs) open(currentTarget)
        else later(() => open(currentTarget), delayMs)
      },
      onPointerLeave: () => later(close, leaveMs),
      onPointerDown: close,
      onClick: close,
      onFocus: ({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) open(currentTarget)
      },
      onBlur: close,
    },
    anchor ? { 'aria-describedby': typeof own === 'string' ? `${own} ${id}` : id } : {},
  )
  return (
    <>
      {trigger}
      {anchor ? (
        <Bubble
          id={id}
          anchor={anchor}
          onClose={close}
          onEnter={() => clearTimeout(timer.current)}
          onLeave={() => later(close, leaveMs)}
        >
          {content}
        </Bubble>
      ) : null}
    </>
  )
}

interface BubbleProps {
  id: string
  anchor: HTMLElement
  onClose: () => void
  onEnter: () => void
  onLeave: () => void
  children: ReactNode
}

function Bubble({ id, anchor, onClose, onEnter, onLeave, children }: BubbleProps) {
  const bubble = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (bubble.current) place(bubble.current, anchor)
  }, [anchor])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A dialog around the element stays open: Radix leaves a prevented Escape alone.
      if (event.key !== 'Escape') return
      event.preventDefault()
      onClose()
    }
    const onScroll = ({ target }: Event) => {
      if (target instanceof Node && target.contains(anchor)) onClose()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    window.addEventListener('scroll', onScroll, { capture: true })
    return () => {
      window.removeEventListener('keydown', onKey, { capture: true })
      window.removeEventListener('scroll', onScroll, { capture: true })
    }
  }, [anchor, onClose])
  return createPortal(
    <div
      ref={bubble}
      id={id}
      role="tooltip"
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      className="pointer-events-auto fixed top-0 left-0 z-50 w-max max-w-72 animate-fade-in rounded-md bg-ink px-2 py-1 text-canvas text-xs shadow-float"
    >
      {children}
    </div>,
    document.body,
  )
}

/** Above the element, or below it if there is no space, and inside the window. */
function place(bubble: HTMLElement, anchor: HTMLElement): void {
  const { top, bottom, left, width } = anchor.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = bubble
  const above = top - gapPx - offsetHeight
  const most = document.documentElement.clientWidth - edgePx - offsetWidth
  bubble.style.top = `${above >= edgePx ? above : bottom + gapPx}px`
  bubble.style.left = `${Math.max(edgePx, Math.min(most, left + width / 2 - offsetWidth / 2))}px`
}
