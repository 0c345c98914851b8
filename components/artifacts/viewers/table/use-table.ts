import { useEffect, useState } from 'react'
import type { TableQuery } from './engine/row-order'
import type { TableState } from './engine/table-messages'
import { TableClient } from './table-client'

export interface TableFile {
  url: string
  format: 'csv' | 'tsv' | 'parquet'
  bytes: number
}

/** Rows that match a query. */
interface Matches {
  query: TableQuery
  count: number
}

/** A file as a table in a web worker, and the rows that match a query. */
export function useTable({ url, format, bytes }: TableFile, query: TableQuery) {
  const [client, setClient] = useState<TableClient | null>(null)
  const [state, setState] = useState<TableState | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [matches, setMatches] = useState<Matches | null>(null)
  const [asking, setAsking] = useState(false)
  useEffect(() => {
    const own = new TableClient({ url, format, bytes }, { onState: setState, onFailure: setFailure })
    setClient(own)
    setAsking(false)
    return () => own.close()
  }, [url, format, bytes])
  const loaded = state !== null && !state.loading
  useEffect(() => {
    // One at a time: while a user types, the queries in between are left out.
    if (!client || !loaded || asking || matches?.query === query) return
    setAsking(true)
    void client.query(query).then((count) => {
      setMatches({ query, count })
      setAsking(false)
    })
  }, [client, loaded, asking, matches, query])
  return {
    client,
    state,
    failure,
    count: matches?.count ?? state?.count ?? 0,
    /** The rows on the page do not match the query yet. */
    working: loaded && matches?.query !== query,
    /** Changes when the rows change. */
    version: matches?.query ?? null,
  }
}
