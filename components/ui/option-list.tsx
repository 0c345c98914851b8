import type { ReactNode } from 'react'
import { cn } from './class-names'

/** One option of an {@link OptionList}. */
export interface ListedOption {
  key: string
  label: ReactNode
  /** What the option is, at the end of its line. */
  hint?: ReactNode
}

interface OptionListProps {
  /** The list is `ID-list`, and its options are `ID-0` and so on, for the attributes of the text field. */
  id: string
  /** The accessible name. */
  label: string
  options: readonly ListedOption[]
  /** The index of the selected option; -1: none. */
  active: number
  onAccept: (index: number) => void
}

/** The options below a text field with the role `combobox`. The field keeps the focus and names the selected option. */
export function OptionList({ id, label, options, active, onAccept }: OptionListProps) {
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      className="absolute inset-x-0 top-full z-40 mt-1 max-h-80 overflow-y-auto rounded-lg border bg-raised p-1 shadow-float"
    >
      {options.map(({ key, label: text, hint }, index) => (
        <button
          key={key}
          id={`${id}-${index}`}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onAccept(index)}
          className={cn(
            'flex min-h-8 w-full select-none items-center gap-3 rounded-md px-2 py-1 text-left text-sm hover:bg-hover pointer-coarse:min-h-10',
            index === active && 'bg-hover',
          )}
        >
          <span className="min-w-0 truncate text-ink">{text}</span>
          {hint ? <span className="ml-auto min-w-0 truncate text-muted text-xs">{hint}</span> : null}
        </button>
      ))}
    </div>
  )
}

/** The attributes of the text field that an {@link OptionList} belongs to. */
export function comboboxProps(id: string, shown: number, active: number) {
  return {
    role: 'combobox',
    'aria-expanded': shown > 0,
    'aria-controls': `${id}-list`,
    'aria-activedescendant': active >= 0 && active < shown ? `${id}-${active}` : undefined,
    'aria-autocomplete': 'list',
    autoComplete: 'off',
  } as const
}

/** The index that an arrow key selects, in a circle; null: another key. */
export function moveActive(key: string, active: number, count: number): number | null {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  if (step === undefined) return null
  if (count === 0) return -1
  return active < 0 && step < 0 ? count - 1 : (active + step + count) % count
}
