'use client'

import { Search } from 'lucide-react'
import Form from 'next/form'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useId, useState } from 'react'
import { maxDocumentationQuery } from '@/lib/contract/search/search-keys'
import { Input } from '../ui/input'
import { comboboxProps, moveActive, OptionList } from '../ui/option-list'
import { useSuggestions } from './use-suggestions'

interface SearchFormProps {
  /** The query of the page of results. */
  query?: string
  className?: string
}

/**
 * The search in all documents. It suggests sections while the user types; Enter without a selected one opens the page of results.
 * The form works before the page's script has loaded.
 */
export function SearchForm({ query = '', className }: SearchFormProps) {
  const id = useId()
  const router = useRouter()
  const [draft, setDraft] = useState(query)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const suggestions = useSuggestions(open ? draft : '')
  const shown = open ? suggestions : []

  const show = (index: number) => {
    const chosen = shown[index]
    if (!chosen) return
    setOpen(false)
    router.push(chosen.href)
  }
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const moved = moveActive(event.key, active, suggestions.length)
    if (moved !== null) {
      setOpen(true)
      setActive(moved)
    } else if (event.key === 'Enter' && shown[active]) show(active)
    else if (event.key === 'Escape' && shown.length > 0) setOpen(false)
    else return
    event.preventDefault()
  }
  return (
    <search className={className}>
      <Form action="/docs/search" className="relative" onSubmit={() => setOpen(false)}>
        <Input
          icon={Search}
          {...comboboxProps(id, shown.length, active)}
          name="q"
          value={draft}
          maxLength={maxDocumentationQuery}
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          enterKeyHint="search"
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => {
            setDraft(target.value)
            setActive(-1)
            setOpen(true)
          }}
          onKeyDown={press}
          onBlur={() => setOpen(false)}
          className="h-9"
        />
        {shown.length > 0 ? (
          <OptionList
            id={id}
            label="Sections"
            options={shown.map(({ href, path }) => ({
              key: href,
              label: path.at(-1),
              hint: path.slice(0, -1).join(' › '),
            }))}
            active={active}
            onAccept={show}
          />
        ) : null}
      </Form>
    </search>
  )
}
