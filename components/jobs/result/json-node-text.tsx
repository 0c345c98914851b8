import { cn } from '@/components/ui/class-names'
import { formatCount, formatNumber } from '@/components/ui/format-number'
import { inlineCharacters, type JsonNode, type NodeKind } from './json-nodes'
import { preview, quote, shorten, showKey, showText } from './json-text'

/** The maximum for an open string. Copy and download have the rest. */
const openedCharacters = 20_000

const colours = {
  object: 'text-subtle',
  list: 'text-subtle',
  group: 'text-subtle',
  string: 'text-success-ink',
  text: 'text-success-ink',
  number: 'text-info-ink',
  boolean: 'text-accent-ink',
  null: 'text-subtle',
} as const satisfies Record<NodeKind, string>

/** A row's name and value. */
export function NodeText({ node }: { node: JsonNode }) {
  if (node.kind === 'text') return <OpenedString text={String(node.value)} />
  const { name, kind, expanded } = node
  return (
    <span className="flex min-w-0 gap-1.5">
      {name === null ? null : (
        <span className={cn('shrink-0', kind === 'group' ? 'text-subtle' : 'text-ink')}>
          {kind === 'group' ? name : `${showKey(name)}:`}
        </span>
      )}
      <span className={cn('min-w-0 truncate', colours[kind])}>{valueText(node, expanded === true)}</span>
    </span>
  )
}

function valueText({ kind, value }: JsonNode, opened: boolean): string {
  switch (kind) {
    case 'group':
      return ''
    case 'object':
    case 'list':
      return opened ? sizeOf(value) : preview(value)
    case 'string':
      return typeof value === 'string' ? shortString(value) : ''
    case 'number':
    case 'boolean':
    case 'null':
    case 'text':
      return String(value)
    default:
      return kind satisfies never
  }
}

function shortString(text: string): string {
  const more = text.length > inlineCharacters ? `  ${formatNumber(text.length)} characters` : ''
  return quote(shorten(text, inlineCharacters)) + more
}

function sizeOf(value: unknown): string {
  if (Array.isArray(value)) return formatCount(value.length, 'item')
  return formatCount(Object.keys(value ?? {}).length, 'key')
}

function OpenedString({ text }: { text: string }) {
  const more = text.length - openedCharacters
  return (
    <span
      className={cn(
        'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:isolate]',
        colours.text,
      )}
    >
      {showText(text.slice(0, openedCharacters))}
      {more > 0 ? (
        <span className="text-subtle">
          {' '}
          … {formatNumber(more)} more characters in the copy and the download
        </span>
      ) : null}
    </span>
  )
}
