import * as announcements from '../access/announcements'
import * as shares from '../access/shares'
import {
  auditOperations,
  bucketOperations,
  environmentOperations,
  limitOperations,
  projectInvitationOperations,
  projectOperations,
  sessionOperations,
  tokenOperations,
  userOperations,
} from './access'
import { accountingOperations } from './accounting'
import { agentOperations } from './agents'
import { announcementOperations } from './announcements'
import { archiveOperations } from './archives'
import { clusterOperations, modelOperations } from './cluster'
import { documentationOperations } from './docs'
import { jobGroup } from './job-group'
import { joinLinkOperations } from './join-links'
import { invitationMailOperations, notificationOperations } from './notifications'
import type { Operation } from './operation'
import { participantOperations } from './participants'
import { importOperations, tokenBatchOperations } from './people'
import { orchestratorOperations, queueOperations } from './queue'
import { resultOperations } from './results'
import { serverOperations } from './server'
import { shareOperations } from './shares'
import { slurmOperations } from './slurm'
import { snapshotOperations } from './snapshots'
import { storageOperations } from './storage'
import { viewOperations } from './views'

/** The contracts of features whose schemas the OpenAPI document names. */
export const namedContracts = [announcements, shares]

/** Every operation of the API, by the client's groups. A test compares this table with the routes. */
export const operations = {
  jobs: jobGroup,
  views: viewOperations,
  shares: shareOperations,
  results: resultOperations,
  archives: archiveOperations,
  snapshots: snapshotOperations,
  users: { ...userOperations, ...importOperations, ...invitationMailOperations },
  sessions: sessionOperations,
  tokens: { ...tokenOperations, ...tokenBatchOperations },
  projects: projectOperations,
  projectInvitations: projectInvitationOperations,
  joinLinks: joinLinkOperations,
  participants: participantOperations,
  storage: storageOperations,
  limits: limitOperations,
  environments: environmentOperations,
  buckets: bucketOperations,
  announcements: announcementOperations,
  notifications: notificationOperations,
  audit: auditOperations,
  queue: queueOperations,
  orchestrator: orchestratorOperations,
  cluster: { ...clusterOperations, ...modelOperations },
  slurm: slurmOperations,
  accounting: accountingOperations,
  agents: agentOperations,
  server: { ...serverOperations, ...documentationOperations },
}

/** Every operation, in the order of the OpenAPI document. */
export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) =>
  Object.values<Operation>(group),
)
