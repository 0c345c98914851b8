import { accountingRoutes } from '../accounting/routes'
import { approvalRoutes, tokenStopRoutes } from '../agent-tokens/routes'
import { agentRoutes } from '../agents/routes'
import { announcementRoutes } from '../announcements/routes'
import { artifactRoutes } from '../artifacts/routes'
import { bucketRoutes } from '../buckets/routes'
import { budgetRoutes } from '../budgets/routes'
import { checkpointRoutes } from '../checkpoints/routes'
import {
  boardRoutes,
  competitionRoutes,
  entryRoutes,
  gradeRoutes,
  rescoreRoutes,
} from '../competitions/routes'
import type { operations } from '../contract/operations/operations'
import { documentationRoutes } from '../docs/routes'
import { experimentRoutes } from '../experiments/routes'
import { groupRoutes } from '../groups/routes'
import type { ApiRoute } from '../http/route'
import { toApiRoutes } from '../http/server/answer-api'
import { joinLinkRoutes } from '../join-links/routes'
import { metricRoutes } from '../metrics/routes'
import { nodeCheckRoutes } from '../node-checks/routes'
import { invitationMailRoutes, notificationRoutes } from '../notifications/routes'
import { participantRoutes } from '../participants/routes'
import { importRoutes, tokenBatchRoutes } from '../people/routes'
import { projectBoardRoutes } from '../project-boards/routes'
import { resultRoutes } from '../project-results/routes'
import { shareRoutes } from '../shares/routes'
import { slurmRoutes } from '../slurm/routes'
import { snapshotRoutes } from '../snapshots/routes'
import { terminalRoutes } from '../terminal/routes'
import { viewRoutes } from '../views/routes'
import { workingFileRoutes } from '../working-files/routes'
import { auditRoutes } from './access/audit'
import { environmentRoutes } from './access/environments'
import { limitRoutes } from './access/limits'
import { projectInvitationRoutes, projectRoutes } from './access/projects'
import { sessionRoutes } from './access/sessions'
import { tokenRoutes } from './access/tokens'
import { userRoutes } from './access/users'
import { archiveRoutes } from './archives/archives'
import { storageRoutes } from './archives/storage'
import { clusterRoutes } from './cluster/cluster'
import { modelRoutes } from './cluster/models'
import { jobRoutes } from './jobs/jobs'
import { orchestratorRoutes } from './queue/orchestrator'
import { queueRoutes } from './queue/queue'
import { serverRoutes } from './server'
import { submissionRoutes } from './submission/submission'

type Operations = typeof operations

/**
 * The route of every operation, in the groups of the operations. TypeScript reports an operation without a route, and a
 * route at the name of another operation.
 */
export const routes = {
  jobs: {
    ...jobRoutes,
    ...submissionRoutes,
    ...artifactRoutes,
    ...workingFileRoutes,
    ...metricRoutes,
    ...terminalRoutes,
  },
  groups: groupRoutes,
  competitions: competitionRoutes,
  entries: entryRoutes,
  boards: boardRoutes,
  rescores: rescoreRoutes,
  grades: gradeRoutes,
  experiments: experimentRoutes,
  views: viewRoutes,
  shares: shareRoutes,
  results: resultRoutes,
  archives: archiveRoutes,
  snapshots: snapshotRoutes,
  users: { ...userRoutes, ...importRoutes, ...invitationMailRoutes },
  sessions: sessionRoutes,
  tokens: { ...tokenRoutes, ...tokenBatchRoutes, ...tokenStopRoutes },
  approvals: approvalRoutes,
  projects: projectRoutes,
  projectInvitations: projectInvitationRoutes,
  joinLinks: joinLinkRoutes,
  participants: participantRoutes,
  projectBoards: projectBoardRoutes,
  storage: { ...storageRoutes, ...checkpointRoutes },
  limits: limitRoutes,
  budgets: budgetRoutes,
  environments: environmentRoutes,
  buckets: bucketRoutes,
  announcements: announcementRoutes,
  notifications: notificationRoutes,
  audit: auditRoutes,
  queue: queueRoutes,
  orchestrator: orchestratorRoutes,
  cluster: { ...clusterRoutes, ...nodeCheckRoutes, ...modelRoutes },
  slurm: slurmRoutes,
  accounting: accountingRoutes,
  agents: agentRoutes,
  server: { ...serverRoutes, ...documentationRoutes },
} satisfies {
  [Group in keyof Operations]: {
    [Name in keyof Operations[Group]]: ApiRoute<Operations[Group][Name]>
  }
}

/** The table that the web server and `next dev` serve. */
export const apiRoutes = toApiRoutes(Object.values(routes).flatMap((group) => Object.values<ApiRoute>(group)))
