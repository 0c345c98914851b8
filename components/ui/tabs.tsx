import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { cn } from './class-names'
import { formatNumber } from './format-number'

export interface Tab<Value extends string> {
  value: Value
  label: ReactNode
  /** The number of items in the tab. */
  count?: number
  content: ReactNode
}

interface TabsProps<Value extends string> {
  /** The accessible name. */
  label: string
  tabs: readonly Tab<Value>[]
  value: Value
  onValueChange: (value: Value) => void
  /** Content at the end of the tab list. */
  actions?: ReactNode
  /** The tab list stays visible while the page scrolls. */
  sticky?: boolean
  className?: string
}

/** Pixels of the next tab that stay visible, so that people see that there are more. */
const besideTab = 32

/** Tabs. Arrow keys move between them. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, tabs, value, onValueChange, actions, sticky = false, className } = props
  const choose = (chosen: string) => {
    const tab = tabs.find((candidate) => candidate.value === chosen)
    if (tab) onValueChange(tab.value)
  }
  const list = useRef<HTMLDivElement>(null)
  // On a narrow screen the list scrolls.
  useEffect(() => {
    const selected = list.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`)
    if (!list.current || !selected) return
    const { scrollLeft, clientWidth } = list.current
    const [start, end] = [selected.offsetLeft, selected.offsetLeft + selected.offsetWidth]
    if (start < scrollLeft) list.current.scrollLeft = start - besideTab
    else if (end > scrollLeft + clientWidth) list.current.scrollLeft = end - clientWidth + besideTab
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={choose} className={cn('flex min-w-0 flex-col', className)}>
      <div
        className={cn(
          'flex min-h-10 flex-wrap items-end justify-between gap-x-4 border-b',
          // Below the navigation, which is at the top of a narrow window.
          sticky && 'sticky top-13 z-20 bg-canvas lg:top-0',
        )}
      >
        <Radix.List
          ref={list}
          aria-label={label}
          className="relative -mb-px flex min-w-0 gap-1 overflow-x-auto sm:gap-4 sm:px-1"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              data-tab={tab.value}
              className={cn(
                'flex h-10 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-1 font-medium text-muted text-sm',
                'transition-colors hover:text-ink focus-visible:-outline-offset-2',
                'data-[state=active]:border-accent data-[state=active]:text-ink',
              )}
            >
              {tab.label}
              {tab.count === undefined ? null : (
                <span className="rounded-full bg-pressed px-1.5 text-2xs text-muted tabular-nums">
                  {formatNumber(tab.count)}
                </span>
              )}
            </Radix.Trigger>
          ))}
        </Radix.List>
        {actions ? (
          // Out of the flow while it has only an empty status: it would add a line on a narrow screen.
          <div className="flex items-center gap-1.5 py-1.5 has-[>p:empty:only-child]:absolute">{actions}</div>
        ) : null}
      </div>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          className="mt-4 min-w-0 flex-1 flex-col focus-visible:-outline-offset-2 data-[state=active]:flex"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
