import { Search } from 'lucide-react'
import Form from 'next/form'
import { cn } from '../ui/class-names'
import { inputStyles } from '../ui/input-styles'

/** The search in all documents. It works before the page's script has loaded. */
export function SearchForm({ query = '', className }: { query?: string; className?: string }) {
  return (
    <search className={className}>
      <Form action="/docs/search" className="relative">
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-subtle"
        />
        <input
          type="search"
          name="q"
          defaultValue={query}
          key={query}
          maxLength={200}
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          autoComplete="off"
          className={cn(inputStyles, 'h-9 pr-2.5 pl-8 text-sm')}
        />
      </Form>
    </search>
  )
}
