import { accountingOperations } from '../../accounting/operations'
import { approvalOperations, tokenStopOperations } from '../../agent-tokens/operations'
import { agentOperations } from '../../agents/operations'
import * as announcements from '../../announcements/contract'
import { announcementOperations } from '../../announcements/operations'
import * as artifacts from '../../artifacts/contract'
import * as buckets from '../../buckets/contract'
import { bucketOperations } from '../../buckets/operations'
import { budgetOperations } from '../../budgets/operations'
import { checkpointOperations } from '../../checkpoints/operations'
import * as competitions from '../../competitions/contract'
import * as competitionBoards from '../../competitions/contract-boards'
import * as competitionEntries from '../../competitions/contract-entries'
import * as competitionGrades from '../../competitions/contract-grades'
import * as competitionRescores from '../../competitions/contract-rescores'
import {
  boardOperations,
  competitionOperations,
  entryOperations,
  gradeOperations,
  rescoreOperations,
} from '../../competitions/operations'
import { documentationOperations } from '../../docs/operations'
import { experimentOperations } from '../../experiments/operations'
import { groupOperations, groupQueueOperations } from '../../groups/operations'
import { joinLinkOperations } from '../../join-links/operations'
import { nodeCheckOperations } from '../../node-checks/operations'
import { invitationMailOperations, notificationOperations } from '../../notifications/operations'
import { participantOperations } from '../../participants/operations'
import { importOperations, tokenBatchOperations } from '../../people/operations'
import * as projectBoards from '../../project-boards/contract'
import { projectBoardOperations } from '../../project-boards/operations'
import { resultOperations } from '../../project-results/operations'
import * as shares from '../../shares/contract'
import { shareOperations } from '../../shares/operations'
import * as slurm from '../../slurm/contract'
import { slurmOperations } from '../../slurm/operations'
import * as snapshots from '../../snapshots/contract'
import { snapshotOperations } from '../../snapshots/operations'
import * as terminal from '../../terminal/contract'
import { viewOperations } from '../../views/operations'
import * as workingFiles from '../../working-files/contract'
import {
  auditOperations,
  environmentOperations,
  limitOperations,
  projectInvitationOperations,
  projectOperations,
  sessionOperations,
  tokenOperations,
  userOperations,
} from './access'
import { archiveOperations } from './archives'
import { clusterOperations, modelOperations } from './cluster'
import { jobGroup } from './job-group'
import type { Operation } from './operation'
import { orchestratorOperations, queueOperations } from './queue'
import { serverOperations } from './server'
import { storageOperations } from './storage'

/** The contracts of features whose schemas the OpenAPI document names. */
export const namedContracts = [
  announcements,
  artifacts,
  buckets,
  competitions,
  competitionBoards,
  competitionEntries,
  competitionRescores,
  competitionGrades,
  projectBoards,
  shares,
  slurm,
  snapshots,
  terminal,
  workingFiles,
]

/** Every operation of the API, by the client's groups. A test compares this table with the routes. */
export const operations = {
  jobs: jobGroup,
  groups: groupOperations,
  competitions: competitionOperations,
  entries: entryOperations,
  boards: boardOperations,
  rescores: rescoreOperations,
  grades: gradeOperations,
  experiments: experimentOperations,
  views: viewOperations,
  shares: shareOperations,
  results: resultOperations,
  archives: archiveOperations,
  snapshots: snapshotOperations,
  users: { ...userOperations, ...importOperations, ...invitationMailOperations },
  sessions: sessionOperations,
  tokens: { ...tokenOperations, ...tokenBatchOperations, ...tokenStopOperations },
  approvals: approvalOperations,
  projects: projectOperations,
  projectInvitations: projectInvitationOperations,
  joinLinks: joinLinkOperations,
  participants: participantOperations,
  projectBoards: projectBoardOperations,
  storage: { ...storageOperations, ...checkpointOperations },
  limits: limitOperations,
  budgets: budgetOperations,
  environments: environmentOperations,
  buckets: bucketOperations,
  announcements: announcementOperations,
  notifications: notificationOperations,
  audit: auditOperations,
  queue: { ...queueOperations, ...groupQueueOperations },
  orchestrator: orchestratorOperations,
  cluster: { ...clusterOperations, ...nodeCheckOperations, ...modelOperations },
  slurm: slurmOperations,
  accounting: accountingOperations,
  agents: agentOperations,
  server: { ...serverOperations, ...documentationOperations },
}

/** Every operation, in the order of the OpenAPI document. */
export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) =>
  Object.values<Operation>(group),
)
