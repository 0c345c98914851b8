/* The groups and days of the accounting, apart from the schemas: the page needs no zod. */

/** What the rows of the accounting stand for. */
export const accountingGroups = ['user', 'project', 'competition', 'week'] as const
export type AccountingGroup = (typeof accountingGroups)[number]

export const firstDay = '2000-01-01'
export const lastDay = '2999-12-31'
const defaultDays = 12 * 7

interface AccountingRange {
  from?: string | undefined
  to?: string | undefined
}

/** Whether a text is a day that a query accepts. */
export function isDay(text: string): boolean {
  // A day that does not exist, such as February 30, is no number or another day.
  const time = Date.parse(text)
  const exists = !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
  return exists && text >= firstDay && text <= lastDay
}

/** Adds days to a day, both as YYYY-MM-DD. */
export function addDays(from: string, days: number): string {
  return new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The days of a query, both included. */
export function rangeOf({ from, to = new Date().toISOString().slice(0, 10) }: AccountingRange): {
  from: string
  to: string
} {
  return { from: from ?? addDays(to, 1 - defaultDays), to }
}
