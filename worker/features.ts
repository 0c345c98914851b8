import { countDays } from '@/lib/accounting/count-days'
import { endApprovals } from '@/lib/agent-tokens/approvals'
import { continueStopping } from '@/lib/agent-tokens/stop-token'
import { deleteEndedLinks } from '@/lib/artifacts/download-links'
import { settleBoards } from '@/lib/competitions/boards/settle-boards'
import { followRescores } from '@/lib/competitions/rescoring/follow-rescores'
import { startRescoring } from '@/lib/competitions/rescoring/start-rescoring'
import { endScoring } from '@/lib/competitions/scoring/end-scoring'
import { followEntries } from '@/lib/competitions/scoring/follow-entries'
import { releaseEntries } from '@/lib/competitions/scoring/release-entries'
import { stopDisqualified } from '@/lib/competitions/scoring/stop-disqualified'
import { cancelUsedUp } from '@/lib/groups/cancel-group'
import { continueCancelling } from '@/lib/groups/cancel-members'
import { releaseMembers } from '@/lib/groups/release-members'
import { stopMembers } from '@/lib/groups/stopping/stop-members'
import { deleteOldDeliveries } from '@/lib/notifications/outbox'
import { keepBudgets } from './budgets/leader-task'
import { sweepAllCheckpoints, sweepRequested } from './checkpoints/sweep'
import { provisionNodes } from './provisioning/provisioner'

/** What features do on the worker that leads the scheduler, until `signal` is aborted. */
export const leaderTasks: readonly ((signal: AbortSignal) => Promise<void>)[] = [provisionNodes, keepBudgets]

/** What features do on the worker that leads the scheduler, after each change of the queue. They return whether more can follow at once. */
export const featureQueueTasks = [
  { what: 'put members of groups into the queue', run: releaseMembers },
  { what: 'cancel groups whose budget is used up', run: cancelUsedUp },
  { what: 'cancel the members of groups', run: continueCancelling },
  { what: 'stop members of groups early', run: stopMembers },
  { what: 'cancel the jobs of stopped tokens', run: continueStopping },
  { what: 'make jobs of the entries of competitions', run: releaseEntries },
  { what: 'score the entries of competitions', run: followEntries },
  { what: 'read the scores of entries', run: endScoring },
  { what: 'stop disqualified entries', run: stopDisqualified },
  { what: 'follow sets of new scores', run: followRescores },
  { what: 'score entries again', run: startRescoring },
] as const

/** What features do again and again on the worker that leads the scheduler. */
export const featureSweeps = {
  everyMinute: [
    { what: 'refuse what nobody approved in time', run: endApprovals },
    { what: 'store frozen boards and reveal final ones', run: settleBoards },
    { what: 'delete the checkpoints that users deleted', run: sweepRequested },
  ],
  everyTenMinutes: [
    { what: 'count the use of the last days', run: countDays },
    { what: 'delete ended download links', run: deleteEndedLinks },
    { what: 'delete old notifications', run: deleteOldDeliveries },
  ],
  /** What lists the whole storage, every six hours. */
  listing: [{ what: 'delete expired checkpoints', run: sweepAllCheckpoints }],
} as const
