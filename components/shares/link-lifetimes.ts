/** How long a read-only link works: days, as the options of a form. */
export const linkLifetimes = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
