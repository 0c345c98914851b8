import { describeWait as describeKnown, type WaitReason, waitReasons } from '@/lib/contract/reasons'

function isWaitReason(reason: string): reason is WaitReason {
  return reason in waitReasons
}

/** Why a job waits: the message of its reason and the details. A newer server may have reasons that this page does not know. */
export function describeWait(reason: string | null, detail: string | null): string {
  if (reason === null) return detail ?? 'In the queue.'
  if (isWaitReason(reason)) return describeKnown(reason, detail)
  return `${reason.replaceAll('_', ' ')}.${detail === null ? '' : ` ${detail}`}`
}
