import type { NodeCheck } from '@/lib/node-checks/contract'

/** What a check decided. Every problem has an action. */
export type Judgement = Pick<NodeCheck, 'status' | 'found' | 'action'>

export const ok = (found: string): Judgement => ({ status: 'ok', found, action: null })
export const warning = (found: string, action: string): Judgement => ({ status: 'warning', found, action })
export const failure = (found: string, action: string): Judgement => ({ status: 'failure', found, action })
export const notApplicable = (found: string): Judgement => ({ status: 'not_applicable', found, action: null })
