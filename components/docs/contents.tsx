import NextLink from 'next/link'
import { cn } from '../ui/class-names'

export interface ContentsItem {
  href: string
  label: string
  /** The page that is shown. */
  current?: boolean
  below?: readonly ContentsItem[]
}

/** The contents of a document: beside the text if there is space, otherwise above it and closed. */
export function Contents({ items }: { items: readonly ContentsItem[] }) {
  if (items.length === 0) return null
  return (
    <>
      <aside className="hidden w-60 shrink-0 xl:block">
        <nav
          aria-label="Contents"
          className="sticky top-6 max-h-[calc(100dvh-3rem)] overflow-y-auto border-l pl-3"
        >
          <p className="px-2 pb-1 font-medium text-subtle text-xs">Contents</p>
          <Items items={items} />
        </nav>
      </aside>
      <details className="mb-5 rounded-lg border bg-surface xl:hidden">
        <summary className="px-3 py-2 font-medium text-sm">Contents</summary>
        <nav aria-label="Contents" className="border-t p-2">
          <Items items={items} />
        </nav>
      </details>
    </>
  )
}

function Items({ items }: { items: readonly ContentsItem[] }) {
  return (
    <ul>
      {items.map(({ href, label, current, below }) => (
        <li key={href}>
          <NextLink
            href={href}
            prefetch={false}
            aria-current={current ? 'page' : undefined}
            className={cn(
              'block wrap-anywhere rounded-md px-2 py-1 text-muted text-sm hover:bg-hover hover:text-ink',
              current && 'bg-pressed font-medium text-ink',
            )}
          >
            {label}
          </NextLink>
          {below?.length ? (
            <div className="ml-3 border-l pl-1">
              <Items items={below} />
            </div>
          ) : null}
        </li>
      ))}
    </ul>
  )
}
