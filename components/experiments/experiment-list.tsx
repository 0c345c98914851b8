'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, GitCompare, GitFork } from 'lucide-react'
import { useMemo, useState } from 'react'
import { experimentTitle, firstMetrics, type TreeRow, treeRows } from '@/lib/experiments/contract-tree'
import { JobStatus } from '../jobs/job-status'
import { formatMetric } from '../jobs/list/job-cell'
import { ListPanel } from '../shell/list-panel'
import { ButtonLink } from '../ui/button-link'
import { CodeBlock } from '../ui/code-block'
import { EmptyState } from '../ui/empty-state'
import { IconButton } from '../ui/icon-button'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable, RowLink } from '../ui/table'
import { compareWith, experimentPath } from './experiment-link'
import { experimentsQuery } from './queries'

/** The page Experiments: a tree of the jobs and groups that follow each other. @param project null: the own ones in all projects */
export function ExperimentList({ project }: { project: string | null }) {
  const query = useInfiniteQuery(experimentsQuery(project))
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const columns = useMemo(
    () =>
      columnsOf(collapsed, (id) =>
        setCollapsed((before) =>
          before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
        ),
      ),
    [collapsed],
  )
  return (
    <>
      <PageHeader
        title={project === null ? 'Experiments' : `Experiments of ${project}`}
        description="Jobs and groups with a hypothesis, each below the one that it follows."
      />
      <ListPanel query={query} empty={<NoExperiments />}>
        {(experiments) => (
          <DataTable
            caption="Experiments"
            columns={columns}
            items={treeRows(experiments, collapsed)}
            keyOf={({ experiment }) => experiment.id}
          />
        )}
      </ListPanel>
    </>
  )
}

/** Deeper levels are not indented further, so that a long chain stays readable. */
const maxIndent = 8

function columnsOf(collapsed: ReadonlySet<string>, onToggle: (id: string) => void): Column<TreeRow>[] {
  return [
    {
      label: 'Experiment',
      kind: 'title',
      cell: (row) => <Title row={row} isOpen={!collapsed.has(row.experiment.id)} onToggle={onToggle} />,
    },
    { label: 'Status', cell: ({ experiment }) => <JobStatus state={experiment.status} variant="plain" /> },
    { label: 'Metrics', cell: ({ experiment }) => <Metrics experiment={experiment} /> },
    {
      label: 'Submitted with',
      cell: ({ experiment: { submitted_with: token } }) => (
        <span className="wrap-anywhere text-muted">{token === null ? '–' : token.name}</span>
      ),
    },
    {
      label: 'Submitted',
      cell: ({ experiment }) => <RelativeTime at={experiment.created_at} className="text-muted" />,
    },
    { label: 'Compare', kind: 'actions', cell: (row) => <Compare row={row} /> },
  ]
}

interface TitleProps {
  row: TreeRow
  isOpen: boolean
  onToggle: (id: string) => void
}

function Title({ row, isOpen, onToggle }: TitleProps) {
  const { experiment, depth } = row
  const { id, hypothesis, note, followers } = experiment
  const title = experimentTitle(experiment)
  return (
    <span
      className="flex min-w-0 items-start gap-1"
      style={{ paddingInlineStart: `${Math.min(depth, maxIndent) * 1.25}rem` }}
    >
      {followers > 0 ? (
        <IconButton
          icon={isOpen ? ChevronDown : ChevronRight}
          size="sm"
          label={`${isOpen ? 'Hide' : 'Show'} what follows ${title}`}
          aria-expanded={isOpen}
          onClick={() => onToggle(id)}
        />
      ) : (
        <span className="w-6 shrink-0" />
      )}
      <span className="flex min-w-0 flex-col">
        <RowLink href={experimentPath(experiment)} className="wrap-anywhere">
          {title}
        </RowLink>
        {hypothesis === null ? null : <span className="wrap-anywhere text-muted text-xs">{hypothesis}</span>}
        {note === null ? null : (
          <span className="line-clamp-2 wrap-anywhere text-subtle text-xs">{note}</span>
        )}
        <Relation row={row} />
      </span>
    </span>
  )
}

function Relation({ row: { experiment, parent } }: { row: TreeRow }) {
  const { parent_deleted } = experiment
  if (parent !== null) return <span className="sr-only">follows {experimentTitle(parent)}</span>
  if (!parent_deleted && experiment.parent === null) return null
  return (
    <span className="text-subtle text-xs">
      {parent_deleted ? 'follows an experiment that was deleted' : 'follows an older one, further down'}
    </span>
  )
}

function Metrics({ experiment }: Pick<TreeRow, 'experiment'>) {
  const metrics = firstMetrics(experiment)
  if (metrics.length === 0) return '–'
  return (
    <ul className="flex flex-col text-xs">
      {metrics.map(([name, value]) => (
        <li key={name} className="wrap-anywhere">
          <span className="text-muted">{name}</span>{' '}
          <span className="tabular-nums">{formatMetric(value)}</span>
        </li>
      ))}
    </ul>
  )
}

function Compare({ row: { experiment, parent } }: { row: TreeRow }) {
  const path = compareWith(experiment, parent)
  if (path === null || parent === null) return null
  return (
    <ButtonLink icon={GitCompare} href={path} size="sm">
      Compare
      <span className="sr-only">
        {' '}
        {experimentTitle(experiment)} with {experimentTitle(parent)}
      </span>
    </ButtonLink>
  )
}

const sample = `parent: PARENT_ID  # the id of the job or group that this one follows
hypothesis: A longer warm-up lowers the final loss.`

function NoExperiments() {
  return (
    <div className="pb-8">
      <EmptyState icon={GitFork} title="No experiments yet" className="pb-6">
        Say in the config of a job or a group what it shall find out, and which earlier one it follows.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock label="keys of config.yaml" title="In config.yaml" code={sample} />
      </div>
    </div>
  )
}
