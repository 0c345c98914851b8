import { useEffect, useState } from 'react'
import type { DocumentationHit } from '@/lib/docs/operations'

const debounceMs = 150
const maxSuggestions = 8
/** One letter matches almost everything. */
const minLength = 2

/** The best sections of the documentation for a text, shortly after its last change. The previous ones stay until the answer. */
export function useSuggestions(text: string): readonly DocumentationHit[] {
  const [hits, setHits] = useState<readonly DocumentationHit[]>([])
  const query = text.trim()
  useEffect(() => {
    if (query.length < minLength) {
      setHits([])
      return
    }
    const aborted = new AbortController()
    const timer = setTimeout(async () => {
      try {
        // The client is large, and most readers do not search.
        const { api } = await import('../queries/queries')
        const found = await api.server.searchDocumentation(
          { q: query, limit: maxSuggestions },
          aborted.signal,
        )
        if (!aborted.signal.aborted) setHits(found)
      } catch {
        // Without suggestions, Enter still opens the page of results.
        if (!aborted.signal.aborted) setHits([])
      }
    }, debounceMs)
    return () => {
      clearTimeout(timer)
      aborted.abort()
    }
  }, [query])
  return hits
}
