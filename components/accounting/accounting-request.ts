import {
  type AccountingGroup,
  accountingGroups,
  addDays,
  isDay,
  rangeOf,
} from '@/lib/accounting/contract-range'

export const groupNames: Record<AccountingGroup, string> = {
  user: 'User',
  project: 'Project',
  competition: 'Competition',
  week: 'Week',
}

const defaultGroup: AccountingGroup = 'user'

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
  const [from, to] = [params.get('from') ?? undefined, params.get('to') ?? undefined]
  const name = params.get('by') ?? defaultGroup
  const by = accountingGroups.find((group) => group === name)
  const areDays = [from, to].every((day) => day === undefined || isDay(day))
  const range = areDays ? rangeOf({ from, to }) : undefined
  if (by === undefined || range === undefined || range.from > range.to)
    return { by: defaultGroup, ...rangeOf({}) }
  return { by, ...range }
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
