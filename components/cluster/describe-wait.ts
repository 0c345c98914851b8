import { type WaitReason, waitReasons } from '@/lib/contract/reasons'

function isWaitReason(reason: string): reason is WaitReason {
  return reason in waitReasons
}

/** Why a job waits: the message of its reason and the details. */
export function describeWait(reason: string | null, detail: string | null): string {
  if (reason === null) return detail ?? 'In the queue.'
  const message = isWaitReason(reason) ? waitReasons[reason].message : `${reason.replaceAll('_', ' ')}.`
  return detail === null || message.includes(detail) ? message : `${message} ${detail}`
}
