import { parseSearch } from '@/lib/contract/search/parse-search'
import { decodeNames, encodeName } from '@/lib/contract/text/encode-name'
import { type BestValue, guessBest } from '@/lib/metrics/contract-best-value'
import { maxResultMetrics, type ResultColumn, resultColumns } from '@/lib/project-results/contract-columns'

/** What the results show. It is in the address of the page. */
export interface ResultsView {
  search: string
  /** Null: those that most jobs printed. */
  metrics: readonly string[] | null
  /** `tags`, `tag.KEY` or `config.PATH`; null: not grouped. */
  group: string | null
  /** Columns beside the job, the metrics and the group. */
  columns: readonly ResultColumn[]
  /** A column, or `metric.NAME`. */
  sort: string
  ascending: boolean
  /** From 1. */
  page: number
  /** The metrics of which the user has chosen the best value. */
  best: ReadonlyMap<string, BestValue>
}

const defaultColumns: readonly ResultColumn[] = ['status', 'submitted']
/** The newest jobs first. */
const defaultSort = '-submitted'

/** Reads the query of an address. What it does not know is replaced by the default. */
export function readResultsView(params: URLSearchParams): ResultsView {
  const sort = params.get('order') || defaultSort
  const columns = params.get('columns')
  const page = Number(params.get('rows') ?? 1)
  const best = (value: BestValue) => readNames(params.get(value)).map((name) => [name, value] as const)
  return {
    search: readSearch(params.get('find') ?? ''),
    metrics: params.has('metrics') ? readNames(params.get('metrics')).slice(0, maxResultMetrics) : null,
    group: readGroup(params.get('group')),
    columns:
      columns === null ? defaultColumns : resultColumns.filter((name) => columns.split(',').includes(name)),
    sort: sort.replace(/^-/, ''),
    ascending: !sort.startsWith('-'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    best: new Map([...best('lowest'), ...best('highest')]),
  }
}

/** The query of an address for changes of what is shown. Another order or another search begins at the first page. */
export function writeResultsView(params: URLSearchParams, changes: Partial<ResultsView>): URLSearchParams {
  const next = new URLSearchParams(params)
  const view = { ...readResultsView(params), page: 1, ...changes }
  const set = (name: string, value: string | null) =>
    value === null || value === '' ? next.delete(name) : next.set(name, value)
  const sort = `${view.ascending ? '' : '-'}${view.sort}`
  set('find', view.search)
  if (view.metrics === null) next.delete('metrics')
  else next.set('metrics', view.metrics.map(encodeName).join(','))
  set('group', view.group)
  if (view.columns.join() === defaultColumns.join()) next.delete('columns')
  else next.set('columns', view.columns.join(','))
  set('order', sort === defaultSort ? null : sort)
  set('rows', view.page === 1 ? null : String(view.page))
  for (const value of ['lowest', 'highest'] as const) {
    const names = [...view.best].filter(([name, best]) => best === value && guessBest(name) !== value)
    set(value, names.map(([name]) => encodeName(name)).join(','))
  }
  return next
}

/** Which value of a metric is the best: as chosen, or guessed from its name. Null: it is a counter. */
export function bestIn({ best }: Pick<ResultsView, 'best'>, metric: string): BestValue | null {
  const guessed = guessBest(metric)
  return guessed && (best.get(metric) ?? guessed)
}

const readNames = (text: string | null) => [...new Set(decodeNames(text ?? ''))]

/** The server refuses a search with a mistake, and then nothing is shown. */
function readSearch(text: string): string {
  return parseSearch(text).ok ? text : ''
}

/** The server refuses another value too. */
function readGroup(text: string | null): string | null {
  return text !== null && /^(?:tags|tag\..+|config\..+)$/.test(text) && text.length <= 200 ? text : null
}
