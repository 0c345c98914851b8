'use client'

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ProblemError } from '@/lib/http/client/problem'

const maxRetries = 2

/** A 401 means that the session ended. The user signs in and returns to this page. */
function onError(error: unknown): void {
  if (!(error instanceof ProblemError) || error.status !== 401) return
  const here = window.location.pathname + window.location.search
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`)
}

/** Only temporary errors are retried. */
function shouldRetry(failures: number, error: unknown): boolean {
  const temporary = !(error instanceof ProblemError) || (error.isTemporary && error.status !== 429)
  return temporary && failures < maxRetries
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: shouldRetry, staleTime: 5000 },
      // Without a network a change fails at once. Otherwise it would be sent later, when nobody expects it.
      mutations: { networkMode: 'always' },
    },
  })
}

/** The cache of server data. */
export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(createQueryClient)
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}
