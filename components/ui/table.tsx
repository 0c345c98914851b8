import NextLink from 'next/link'
import { memo, type ReactNode } from 'react'
import { cn } from './class-names'

/*
 * A table that stacks its cells in narrow containers: each row becomes a card. The first cell is its heading, and the
 * other cells show their column's name beside the value.
 */

interface TableProps {
  /** The table's name for screen readers. */
  caption: string
  className?: string | undefined
  /** It may be wider than its place, and then scrolls sideways. */
  scrolls?: boolean
  children: ReactNode
}

/** A responsive table. */
export function Table({ caption, className, scrolls = false, children }: TableProps) {
  return (
    <div className={cn('@container', scrolls && 'overflow-x-auto')}>
      <table className={cn('w-full border-collapse text-left text-sm @max-2xl:block', className)}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  )
}

/** One column of a {@link DataTable}. */
export interface Column<Item> {
  /** The heading. The stacked table shows it beside the value. */
  label: string
  /** Replaces the label in the header row. */
  heading?: ReactNode
  /** `title` is the heading of a row, and `actions` has its buttons: neither shows its label in the stacked table. */
  kind?: 'title' | 'actions'
  align?: 'start' | 'end'
  /** The class of a fixed width. */
  width?: string
  className?: string
  cell: (item: Item, index: number) => ReactNode
}

interface DataTableProps<Item> extends Pick<TableProps, 'caption' | 'className'> {
  /** The same array in each rendering, so that only changed rows render again. */
  columns: readonly Column<Item>[]
  items: readonly Item[]
  keyOf: (item: Item, index: number) => string
}

/** A table of items, described by its columns. */
export function DataTable<Item>({ caption, className, columns, items, keyOf }: DataTableProps<Item>) {
  return (
    <Table caption={caption} className={className}>
      <TableHead>
        {columns.map(({ label, heading, kind, align, width }) => (
          <HeaderCell key={label} align={align} hidden={kind === 'actions'} className={width}>
            {heading ?? label}
          </HeaderCell>
        ))}
      </TableHead>
      <TableBody>
        {items.map((item, index) => (
          <DataRow key={keyOf(item, index)} item={item} index={index} columns={columns} />
        ))}
      </TableBody>
    </Table>
  )
}

/** In the stacked table, a single icon does not need a line of its own. */
const besideTitle =
  '@max-2xl:has-[>button[aria-label]:only-child]:absolute @max-2xl:has-[>button[aria-label]:only-child]:top-2 @max-2xl:has-[>button[aria-label]:only-child]:right-3'

interface DataRowProps<Item> {
  item: Item
  index: number
  columns: readonly Column<Item>[]
}

const DataRow = memo(function DataRow<Item>({ item, index, columns }: DataRowProps<Item>) {
  const hasActions = columns.some(({ kind }) => kind === 'actions')
  return (
    <TableRow>
      {columns.map(({ label, kind, align, className, cell }) => (
        <Cell
          key={label}
          label={kind ? undefined : label}
          align={kind === 'actions' ? 'end' : align}
          className={cn(
            kind === 'actions' && ['@max-2xl:empty:hidden', besideTitle],
            kind === 'title' && hasActions && '@max-2xl:pr-8',
            className,
          )}
        >
          {cell(item, index)}
        </Cell>
      ))}
    </TableRow>
  )
}) as <Item>(props: DataRowProps<Item>) => ReactNode

/** The header row. */
export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead className="@max-2xl:sr-only">
      <tr className="border-b bg-sunken">{children}</tr>
    </thead>
  )
}

export function TableBody({ children }: { children: ReactNode }) {
  return <tbody className="@max-2xl:block">{children}</tbody>
}

interface TableRowProps {
  /** Absent: rows cannot be selected. */
  selected?: boolean
  className?: string
  children: ReactNode
}

/** A {@link RowLink} covers its row, and what comes before it too: `relative` alone lifts only what comes after it. */
const aboveRowLink =
  'isolate [&_:where(a,button):not([data-row-link])]:relative [&_:where(a,button):not([data-row-link])]:z-1'

export function TableRow({ selected, className, children }: TableRowProps) {
  return (
    <tr
      data-selected={selected || undefined}
      className={cn(
        'group/row relative border-b transition-colors last:border-b-0',
        '@max-2xl:flex @max-2xl:base:flex-col @max-2xl:gap-0.5 @max-2xl:px-4 @max-2xl:py-3',
        aboveRowLink,
        selected ? 'bg-accent-soft' : 'hover:bg-hover',
        className,
      )}
    >
      {children}
    </tr>
  )
}

interface HeaderCellProps {
  align?: 'start' | 'end' | undefined
  /** Visible only to screen readers, for a column of buttons. */
  hidden?: boolean
  /** How the rows are sorted by this column; absent: by another. */
  sorted?: 'ascending' | 'descending' | undefined
  className?: string | undefined
  children: ReactNode
}

export function HeaderCell({
  align = 'start',
  hidden = false,
  sorted,
  className,
  children,
}: HeaderCellProps) {
  return (
    <th
      scope="col"
      aria-sort={sorted}
      className={cn(
        'h-8 whitespace-nowrap base:px-3 font-medium text-muted text-xs first:pl-4 last:pr-4',
        align === 'end' && 'text-right',
        className,
      )}
    >
      {hidden ? <span className="sr-only">{children}</span> : children}
    </th>
  )
}

interface CellProps {
  /** The column's name for the stacked table. Not for the heading and buttons of a row. */
  label?: string | undefined
  align?: 'start' | 'end' | undefined
  className?: string | undefined
  children: ReactNode
}

export function Cell({ label, align = 'start', className, children }: CellProps) {
  return (
    <td
      className={cn(
        'base:h-10 base:px-3 base:py-1.5 align-middle first:pl-4 last:pr-4',
        // A long word must not make the table wider than the page.
        'break-words @2xl:base:max-w-72',
        '@max-2xl:base:flex @max-2xl:h-auto @max-2xl:min-h-6 @max-2xl:items-center @max-2xl:base:justify-between @max-2xl:base:gap-4',
        '@max-2xl:p-0 @max-2xl:first:pl-0 @max-2xl:last:pr-0',
        align === 'end' && 'text-right tabular-nums',
        align === 'end' && !label && '@max-2xl:justify-end',
        className,
      )}
    >
      {label ? (
        <span aria-hidden className="hidden shrink-0 text-subtle text-xs @max-2xl:inline">
          {label}
        </span>
      ) : null}
      {children}
    </td>
  )
}

interface RowLinkProps {
  href: string
  id?: string
  className?: string
  children: ReactNode
}

/** A link that covers the whole row. The other links and the buttons of the row lie above it. */
export function RowLink({ href, id, className, children }: RowLinkProps) {
  return (
    <NextLink
      href={href}
      data-row-link
      {...(id ? { id } : {})}
      className={cn(
        'font-medium text-ink after:absolute after:inset-0 hover:text-accent-ink focus-visible:outline-none',
        'focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2',
        className,
      )}
    >
      {children}
    </NextLink>
  )
}
