import type { Similar } from '@/lib/competitions/contract-similarity'

/** Two programs that resemble each other. */
export type SimilarPair = Similar['pairs'][number]

/** "63 %". */
export const formatShare = (share: number) => `${Math.round(share * 100)} %`
