import { useQueries } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import type { Page } from '@/lib/http/client/transport'
import { memberPageQuery } from './queries'

interface Members {
  /** Those that are loaded, in their order. */
  members: readonly GroupMember[]
  error: Error | null
  /** Tries again what failed. */
  retry: () => void
}

/** The members of a group, loaded page by page and kept up to date. */
export function useMembers(group: GroupDetail): Members {
  const [cursors, setCursors] = useState<readonly (string | null)[]>([null])
  const { pages, error, retry } = useQueries({
    queries: cursors.map((cursor) => memberPageQuery(group, cursor)),
    combine,
  })
  const next = pages.length === cursors.length ? (pages.at(-1)?.next ?? null) : null
  useEffect(() => {
    if (next !== null) setCursors((known) => (known.includes(next) ? known : [...known, next]))
  }, [next])
  const members = useMemo(() => pages.flatMap(({ items }) => items), [pages])
  return { members, error, retry }
}

interface PageAnswer {
  data?: Page<GroupMember> | undefined
  error: Error | null
  refetch: () => unknown
}

function combine(answers: readonly PageAnswer[]) {
  const failed = answers.filter(({ error, data }) => error !== null && data === undefined)
  return {
    pages: answers.flatMap(({ data }) => data ?? []),
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const answer of failed) answer.refetch()
    },
  }
}
