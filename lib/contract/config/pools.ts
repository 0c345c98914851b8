export const pools = ['reserved', 'on-demand', 'best-effort'] as const
export type Pool = (typeof pools)[number]
