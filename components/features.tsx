'use client'

import { GitFork, Package, Waypoints } from 'lucide-react'
import dynamic from 'next/dynamic'
import type { EngineName } from '@/lib/contract/cluster/engine'
import { AnnouncementBanner } from './announcements/announcement-banner'
import { copyLink } from './artifacts/copy-link'
import { experimentsPath } from './experiments/experiments-path'
import { groupSubmission } from './groups/submission'
import type { FeatureTabProps, JobTab } from './jobs/detail/job-tab'
import { EndedJobs } from './notifications/ended-jobs'
import type { NavigationItem } from './shell/navigation'
import { SlurmBanner } from './slurm/slurm-banner'
import { snapshotsPath } from './snapshots/snapshot-paths'
import { reportMissingPart } from './ui/missing-part'
import { onDemand } from './ui/on-demand'
import { Skeleton } from './ui/skeleton'
import { useSavedViews } from './views/use-saved-views'

/* What features add to the pages of the kernel. Most of it is loaded apart, so that no page loads a feature that it does not show. */

const loading = () => <Skeleton className="h-72 rounded-lg" />

const tabLoading = () => <Skeleton className="h-64" />

/** Shows nothing, and says so above the page: what a feature adds is less than the page. */
const missing = () => {
  reportMissingPart()
  return () => null
}

/** What features show on every page. */
export const onEveryPage = { Announcement: AnnouncementBanner, EndedJobs }

/** What features add to the navigation: links that depend on the user. */
export const useFeatureLinks = useSavedViews

/** What features add to the command palette. */
export const paletteSearch = onDemand(() => import('./groups/palette'))

/** What an external engine changes on pages. */
const ofEngine = {
  slurm: {
    /** Above every page: that the engine does not answer. */
    Banner: SlurmBanner,
    /** The nodes of the cluster. */
    Cluster: dynamic(
      () => import('./slurm/slurm-cluster').then((module) => module.SlurmCluster).catch(missing),
      { loading: () => <Skeleton className="h-80 rounded-lg" /> },
    ),
    PolicyForm: dynamic(
      () => import('./slurm/policy-form').then((module) => module.SlurmPolicyForm).catch(missing),
      { loading: () => <Skeleton className="h-120 rounded-lg" /> },
    ),
    aboutPolicy:
      'What gpuq decides before a job goes to Slurm, the GPUs that each model needs, and the limits of users.',
    navigation: [{ href: '/admin/slurm', label: 'Slurm', icon: Waypoints }],
  },
} satisfies Record<Exclude<EngineName, 'builtin'>, object>

/** What the engine changes on pages; null: gpuq itself is the engine. */
export const pagesOfEngine = (engine: EngineName) => (engine === 'builtin' ? null : ofEngine[engine])

/** The pages of admins that the engine adds. */
export const engineNavigation = (engine: EngineName): readonly NavigationItem[] =>
  pagesOfEngine(engine)?.navigation ?? []

/** What waits for an approval: in the list of jobs, and on the page of a job or a group. */
export const Approvals = dynamic(() =>
  import('./agent-tokens/approvals').then((module) => module.Approvals).catch(missing),
)

/** What features add to the list of jobs. */
export const ofJobList = {
  ActiveGroups: dynamic(() =>
    import('./groups/active-groups').then((module) => module.ActiveGroups).catch(missing),
  ),
  SaveView: dynamic(() => import('./views/save-view').then((module) => module.SaveView).catch(missing)),
}

/** What features add to the settings of a browser. */
export const browserSettings = {
  Notifications: dynamic(() =>
    import('./notifications/browser-switch').then((module) => module.BrowserSwitch).catch(missing),
  ),
}

/** The pages that features have for a project. */
export const projectPages = [
  { label: 'Snapshots', icon: Package, pathOf: snapshotsPath },
  { label: 'Experiments', icon: GitFork, pathOf: (_id: string, slug: string) => experimentsPath(slug) },
]

/** What features add to the list of stored files: the page of a project where directories with a name are deleted. */
export const ofStorage = { pathOfNames: snapshotsPath }

/** What features add to the page of a project. */
export const ofProject = {
  Results: dynamic(
    () => import('./project-results/results-panel').then((module) => module.ResultsPanel).catch(missing),
    {
      ssr: false,
      loading,
    },
  ),
  Leaderboard: dynamic(() =>
    import('./project-boards/board-notice').then((module) => module.BoardNotice).catch(missing),
  ),
  Use: dynamic(() => import('./accounting/project-use').then((module) => module.ProjectUse).catch(missing), {
    ssr: false,
    loading,
  }),
  Budgets: dynamic(() => import('./budgets/budgets').then((module) => module.Budgets).catch(missing)),
  UserBudgets: dynamic(() => import('./budgets/budgets').then((module) => module.UserBudgets).catch(missing)),
  JoinLinks: dynamic(() =>
    import('./join-links/join-links').then((module) => module.JoinLinks).catch(missing),
  ),
  Participants: dynamic(() =>
    import('./participants/participants').then((module) => module.Participants).catch(missing),
  ),
  PushRight: dynamic(() =>
    import('./snapshots/push-right').then((module) => module.PushRight).catch(missing),
  ),
}

/** What features add to the page of a job. */
export const ofJob = {
  Bucket: dynamic(() => import('./buckets/job-bucket').then((module) => module.JobBucket).catch(missing)),
  /** Small curves beside the output. */
  Curves: dynamic(() => import('./metrics/job-curves').then((module) => module.JobCurves).catch(missing)),
  Budgets: dynamic(() => import('./budgets/budgets').then((module) => module.Budgets).catch(missing)),
  Provision: dynamic(() =>
    import('./provisioning/job-provision').then((module) => module.JobProvision).catch(missing),
  ),
  Experiment: dynamic(() =>
    import('./experiments/experiment-place').then((module) => module.ExperimentPlace).catch(missing),
  ),
  Member: dynamic(() => import('./groups/job-member').then((module) => module.JobMember).catch(missing)),
  Share: dynamic(() => import('./shares/share-dialog').then((module) => module.ShareDialog).catch(missing), {
    ssr: false,
  }),
  copyLink,
  Artifacts: dynamic(
    () => import('./artifacts/artifacts-tab').then((module) => module.ArtifactsTab).catch(missing),
    { loading },
  ),
  WorkingFiles: dynamic(() =>
    import('./working-files/working-files').then((module) => module.WorkingFiles).catch(missing),
  ),
}

/** The tabs that features add to the page of a job. */
export const jobTabs = [
  {
    value: 'terminal',
    label: 'Terminal',
    before: 'output',
    isShown: ({ terminal }) => terminal,
    Content: dynamic<FeatureTabProps>(
      () => import('./terminal/terminal-tab').then((module) => module.TerminalTab).catch(missing),
      { loading: tabLoading },
    ),
  },
  {
    value: 'metrics',
    label: 'Metrics',
    before: 'files',
    isShown: () => true,
    Content: dynamic<FeatureTabProps>(
      () => import('./metrics/metrics-tab').then((module) => module.MetricsTab).catch(missing),
      {
        loading: tabLoading,
      },
    ),
  },
] as const satisfies readonly JobTab[]

/** What can be submitted besides a job. */
export const otherSubmissions = [groupSubmission]

/** What features add to the page of tokens. */
export const ofTokens = {
  Stop: dynamic(() =>
    import('./agent-tokens/stop-button').then((module) => module.StopButton).catch(missing),
  ),
  Batch: dynamic(() =>
    import('./people/token-batch-dialog').then((module) => module.TokenBatchDialog).catch(missing),
  ),
}
