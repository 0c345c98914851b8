'use client'

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ProblemError } from '@/lib/http/client/problem'

const tries = 2

/** A session that has ended shows first as a 401 on some request: the person signs in and comes back to this page. */
function onError(error: unknown): void {
  if (!(error instanceof ProblemError) || error.status !== 401) return
  const here = window.location.pathname + window.location.search
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`)
}

/** Only what may pass by itself is worth another try. */
function shouldRetry(failures: number, error: unknown): boolean {
  const passing = !(error instanceof ProblemError) || error.status === 0 || error.status >= 500
  return passing && failures < tries
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: shouldRetry, staleTime: 5000 } },
  })
}

/** Keeps what the pages have asked the server for. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient)
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
