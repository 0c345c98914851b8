import { type WaitReason, waitReasons } from '@/lib/contract/reasons'

function isWaitReason(reason: string): reason is WaitReason {
  return reason in waitReasons
}

/** Why a job waits, in a sentence or two: what the reason says, and what it leaves open. */
export function sayWait(reason: string | null, detail: string | null): string {
  if (reason === null) return detail ?? 'In the queue.'
  const says = isWaitReason(reason) ? waitReasons[reason].says : `${reason.replaceAll('_', ' ')}.`
  return detail === null || says.includes(detail) ? says : `${says} ${detail}`
}
