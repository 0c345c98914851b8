import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { parseSearch } from '@/lib/contract/search/parse-search'
import { describeSearchProblem } from '@/lib/contract/search/search-reader'
import { Input } from '../../ui/input'
import { comboboxProps, moveActive, OptionList } from '../../ui/option-list'
import { useCompletions } from './use-completions'

const debounceMs = 300

interface SearchBoxProps {
  /** The search of the list. */
  value: string
  everyone: boolean
  onValue: (text: string) => void
}

/** The search of jobs. It completes keys and values, and applies the text shortly after the last key press. */
export function SearchBox({ value, everyone, onValue }: SearchBoxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState<string | null>(null)
  const [caret, setCaret] = useState(0)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const text = draft ?? value
  const { from, to, completions } = useCompletions(text, caret, { open, everyone })
  const shown = open ? completions : []
  const parsed = parseSearch(text)

  const apply = () => {
    if (draft === null || !parsed.ok) return
    if (draft.trim() !== value) onValue(draft.trim())
    // A space at the end starts the next term: it stays while the box has the focus.
    if (document.activeElement !== input.current) setDraft(null)
  }
  const applyLater = useEffectEvent(apply)
  useEffect(() => {
    if (draft === null) return
    const timer = setTimeout(() => applyLater(), debounceMs)
    return () => clearTimeout(timer)
  }, [draft])

  const change = (next: string, place: number) => {
    setDraft(next)
    setCaret(place)
    setActive(-1)
    setOpen(true)
  }
  const accept = (insert: string) => {
    const next = text.slice(0, from) + insert + text.slice(to).trimStart()
    const place = from + insert.length
    change(next, place)
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(place, place)
    })
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const moved = moveActive(event.key, active, completions.length)
    if (moved !== null) {
      setOpen(true)
      setActive(moved)
    } else if (event.key === 'Enter') {
      const chosen = shown[active]
      if (chosen) accept(chosen.insert)
      else {
        setOpen(false)
        apply()
      }
    } else if (event.key === 'Escape' && open) setOpen(false)
    else return
    event.preventDefault()
  }
  const problem = draft !== null && !parsed.ok ? describeSearchProblem(parsed.problem) : null
  return (
    <div className="relative w-full min-w-0">
      <Input
        ref={input}
        icon={Search}
        {...comboboxProps(id, shown.length, active)}
        aria-label="Search jobs"
        placeholder="Search, such as status:failed tag:baseline metric.loss<0.2"
        aria-invalid={problem !== null || undefined}
        aria-describedby={`${id}-problem`}
        aria-keyshortcuts="/"
        autoCapitalize="none"
        spellCheck={false}
        data-job-search
        value={text}
        onChange={({ target }) => change(target.value, target.selectionStart ?? target.value.length)}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
        onFocus={({ target }) => setCaret(target.value.length)}
        onClick={() => setOpen(true)}
        onKeyDown={press}
        onBlur={() => {
          setOpen(false)
          if (parsed.ok) {
            apply()
            setDraft(null)
          }
        }}
      />
      {shown.length > 0 ? (
        <OptionList
          id={id}
          label="Completions"
          options={shown.map(({ label, hint, insert }) => ({
            key: insert,
            label: <span className="font-mono text-xs">{label}</span>,
            hint,
          }))}
          active={active}
          onAccept={(index) => accept(shown[index]?.insert ?? '')}
        />
      ) : null}
      <p id={`${id}-problem`} role="status" className={problem ? 'mt-1 text-danger-ink text-xs' : 'sr-only'}>
        {problem}
      </p>
    </div>
  )
}
