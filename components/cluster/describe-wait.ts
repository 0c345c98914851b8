import { type WaitReason, waitReasons } from '@/lib/contract/reasons'

function isWaitReason(reason: string): reason is WaitReason {
  return reason in waitReasons
}

/** Why a job waits, in a sentence or two: what the reason says, and what it leaves open. */
export function describeWait(reason: string | null, detail: string | null): string {
  if (reason === null) return detail ?? 'In the queue.'
  const message = isWaitReason(reason) ? waitReasons[reason].message : `${reason.replaceAll('_', ' ')}.`
  return detail === null || message.includes(detail) ? message : `${message} ${detail}`
}
