import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { Button } from '../../../ui/button'
import { formatBytes, formatCount, formatNumber } from '../../../ui/format-number'
import { type Directory, describeLeftOut, type Exclusion, emptyOf, sumBytes } from './directory'

/** Rows at first: a rule may exclude thousands of files. */
const firstRows = 50

/** What is not uploaded, each with the rule that excludes it. */
export function ExcludedList({ directory }: { directory: Directory }) {
  const { excluded, configFile } = directory
  const [all, setAll] = useState(false)
  const empty = emptyOf(directory)
  const count = excluded.length + empty.length + (configFile === null ? 0 : 1)
  if (count === 0) return null
  const sentence = describeLeftOut(directory)
  const shown = all ? excluded : excluded.slice(0, firstRows)
  return (
    <details className="group border-t">
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 px-4 py-1.5 text-sm hover:bg-hover">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-subtle group-open:rotate-90" />
        <span className="shrink-0">{formatCount(count, 'path')} not uploaded</span>
        {sentence === null ? null : (
          <span className="min-w-0 break-words text-muted text-xs">{sentence}</span>
        )}
      </summary>
      <ul aria-label="Not uploaded" className="max-h-72 overflow-y-auto pb-2">
        {configFile === null ? null : (
          <Row path={configFile} why="It is the config of the job: see config.yaml on this page." />
        )}
        {empty.slice(0, firstRows).map((path) => (
          <Row key={path} path={`${path}/`} why="It is empty. Only files and links are uploaded." />
        ))}
        {shown.map((exclusion) => (
          <Row key={exclusion.path} path={exclusion.path} why={describeRule(exclusion)} />
        ))}
        {shown.length < excluded.length ? (
          <li className="px-4 py-1.5">
            <Button size="sm" onClick={() => setAll(true)}>
              Show all {formatNumber(excluded.length)}
            </Button>
          </li>
        ) : null}
      </ul>
    </details>
  )
}

function Row({ path, why }: { path: string; why: string }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 px-4 py-1 pl-10">
      <bdi className="min-w-0 break-all font-mono text-xs">{visibleText(path, 300)}</bdi>
      <span className="min-w-0 break-words text-muted text-xs">{why}</span>
    </li>
  )
}

/** The rule with its file and line, and what it excludes. */
export function describeRule({ path, rule, entries, unread }: Exclusion): string {
  const where = rule.file === null ? 'default rule' : `${visibleText(rule.file, 200)}, line ${rule.line}`
  const size =
    entries.length === 0
      ? describeUnread(unread)
      : path.endsWith('/')
        ? `${formatCount(entries.length, 'file')}, ${formatBytes(sumBytes(entries))}`
        : formatBytes(sumBytes(entries))
  return `${where}: ${visibleText(rule.pattern, 200)} (${size})`
}

function describeUnread(unread: Exclusion['unread']): string {
  if (unread === undefined || unread.files === 0) return 'not read'
  return `${unread.exact ? '' : 'more than '}${formatCount(unread.files, 'file')}, not read`
}
