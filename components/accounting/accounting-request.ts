import {
  type AccountingGroup,
  accountingQuerySchema,
  addDays,
  rangeOf,
} from '@/lib/contract/cluster/accounting'

export const groupNames: Record<AccountingGroup, string> = {
  user: 'User',
  project: 'Project',
  competition: 'Competition',
  week: 'Week',
}

/** What the page shows. */
export interface AccountingRequest {
  by: AccountingGroup
  from: string
  to: string
}

/** Ranges that one click chooses, in days. */
export const rangeDays = { '28': '4 weeks', '84': '12 weeks', '364': '1 year' } as const

/** Reads the query of the page's address. An invalid one is replaced by the default. */
export function readRequest(params: URLSearchParams): AccountingRequest {
  const parsed = accountingQuerySchema.safeParse({
    by: params.get('by') ?? undefined,
    from: params.get('from') ?? undefined,
    to: params.get('to') ?? undefined,
  })
  const { by, ...range } = parsed.success ? parsed.data : accountingQuerySchema.parse({})
  return { by, ...rangeOf(range) }
}

/** The chosen number of days, if the range has one of {@link rangeDays} and ends today. */
export function presetOf({ from, to }: { from: string; to: string }): string {
  const today = rangeOf({}).to
  return Object.keys(rangeDays).find((days) => to === today && addDays(to, 1 - Number(days)) === from) ?? ''
}

/** The range of a preset: its last day is today. */
export function presetRange(days: string): { from: string; to: string } {
  const { to } = rangeOf({})
  return { from: addDays(to, 1 - Number(days)), to }
}
