import { CaseSensitive, ChevronDown, ChevronUp, Regex, Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useId } from 'react'
import { findShortcut, shortcutText } from '@/components/shell/shortcuts/shortcut-keys'
import { outputShortcuts, searchShortcuts } from '@/components/shell/shortcuts/shortcut-table'
import { cn } from '@/components/ui/class-names'
import { formatNumber } from '@/components/ui/format-number'
import { IconButton } from '@/components/ui/icon-button'
import { Input } from '@/components/ui/input'
import type { OutputSearchState } from './use-output-search'

interface OutputSearchBoxProps {
  box: RefObject<HTMLInputElement | null>
  search: OutputSearchState
  /** The user entered `:12`. */
  onGoToLine: (line: number) => void
  /** Moves the focus back to the output. */
  onLeave: () => void
}

/** Searches the output; `:12` goes to line 12. */
export function OutputSearchBox(props: OutputSearchBoxProps) {
  return (
    <search className="flex min-w-0 flex-1 basis-72 items-center gap-1">
      <SearchInput {...props} />
      <SearchButtons search={props.search} />
    </search>
  )
}

function SearchInput({ box, search, onGoToLine, onLeave }: OutputSearchBoxProps) {
  const id = useId()
  const { query, setQuery, goTo, problem, step } = search
  const onKeyDown = (event: KeyboardEvent) => {
    const name = findShortcut(searchShortcuts, event)
    if (!name) return
    event.preventDefault()
    if (name === 'leave') {
      setQuery({ text: '' })
      onLeave()
    } else if (goTo !== null) onGoToLine(goTo)
    else step(name === 'next' ? 1 : -1)
  }
  return (
    <div className="relative min-w-0 max-w-md flex-1">
      <Input
        ref={box}
        icon={Search}
        type="text"
        value={query.text}
        onChange={(event) => setQuery({ text: event.target.value })}
        onKeyDown={onKeyDown}
        placeholder="Search, or :line"
        aria-label="Search the output"
        aria-describedby={id}
        aria-invalid={problem ? true : undefined}
        aria-keyshortcuts={outputShortcuts.search.keys[0]}
        autoComplete="off"
        spellCheck={false}
        className={cn('h-7', query.text !== '' && 'pr-28')}
      />
      <span
        id={id}
        role="status"
        className={cn(
          'pointer-events-none absolute inset-y-0 right-2 flex items-center text-xs tabular-nums',
          problem ? 'text-danger-ink' : 'text-subtle',
        )}
      >
        {summarize(search)}
      </span>
    </div>
  )
}

function SearchButtons({ search }: { search: OutputSearchState }) {
  const { query, setQuery, total, step } = search
  return (
    <>
      <IconButton
        icon={CaseSensitive}
        label="Match case"
        pressed={query.caseSensitive}
        onClick={() => setQuery({ caseSensitive: !query.caseSensitive })}
      />
      <IconButton
        icon={Regex}
        label="Regular expression"
        pressed={query.regex}
        onClick={() => setQuery({ regex: !query.regex })}
      />
      <IconButton
        icon={ChevronUp}
        label={outputShortcuts.previous.label}
        shortcut={shortcutText(outputShortcuts.previous)}
        disabled={total === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        icon={ChevronDown}
        label={outputShortcuts.next.label}
        shortcut={shortcutText(outputShortcuts.next)}
        disabled={total === 0}
        onClick={() => step(1)}
      />
    </>
  )
}

function summarize({ query, goTo, problem, total, index, searching }: OutputSearchState): string {
  if (query.text === '') return ''
  if (goTo !== null) return `Enter: go to line ${formatNumber(goTo + 1)}`
  if (problem) return problem
  if (total === 0) return searching ? 'Searching…' : 'No matches'
  const count = `${formatNumber(total)}${searching ? '…' : ''}`
  return index === null ? count : `${formatNumber(index + 1)} of ${count}`
}
