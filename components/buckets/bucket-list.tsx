'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Archive, KeyRound, Plus, Trash2 } from 'lucide-react'
import { bucketsQuery, deleteBucket } from '@/components/buckets/queries'
import type { Bucket } from '@/lib/buckets/contract'
import { Loaded } from '../shell/load-failure'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { EmptyState } from '../ui/empty-state'
import { IconButton } from '../ui/icon-button'
import { PageHeader } from '../ui/page-header'
import { Panel } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { SkeletonRows } from '../ui/skeleton'
import { type Column, DataTable } from '../ui/table'
import { BucketKeysDialog, NewBucketDialog } from './bucket-dialogs'

/** The page of the registered buckets. */
export function BucketList() {
  const query = useQuery(bucketsQuery())
  return (
    <>
      <PageHeader
        title="Buckets"
        description="Buckets that receive copies of results and logs. Assign one to a project in All projects."
        actions={
          <NewBucketDialog
            trigger={
              <Button icon={Plus} variant="primary">
                New bucket
              </Button>
            }
          />
        }
      />
      <Panel>
        <Loaded query={query} placeholder={<SkeletonRows rows={2} />} failureClass="m-4">
          {(buckets) =>
            buckets.length === 0 ? (
              <EmptyState icon={Archive} title="No buckets yet">
                Register a bucket, then assign it to a project.
              </EmptyState>
            ) : (
              <DataTable caption="Buckets" columns={columns} items={buckets} keyOf={({ name }) => name} />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

const columns: readonly Column<Bucket>[] = [
  { label: 'Name', kind: 'title', cell: ({ name }) => <span className="font-medium text-ink">{name}</span> },
  {
    label: 'Bucket',
    cell: ({ bucket, endpoint, region }) => (
      <span className="flex min-w-0 flex-col break-all">
        <span className="font-mono text-muted text-xs">s3://{bucket}</span>
        <span className="text-subtle text-xs">
          {endpoint ?? 'Amazon S3'}, {region}
        </span>
      </span>
    ),
  },
  {
    label: 'Projects',
    cell: ({ projects }) => (
      <span className="min-w-0 break-all text-muted text-xs">
        {projects.length === 0 ? 'none' : projects.join(', ')}
      </span>
    ),
  },
  { label: 'Keys set', cell: ({ keys_changed_at }) => <RelativeTime at={keys_changed_at} /> },
  {
    label: 'Actions',
    kind: 'actions',
    cell: ({ name }) => (
      <>
        <BucketKeysDialog
          name={name}
          trigger={<IconButton icon={KeyRound} label={`Replace the keys of ${name}`} />}
        />
        <DeleteBucket name={name} />
      </>
    ),
  },
]

function DeleteBucket({ name }: { name: string }) {
  const { mutateAsync } = useMutation(deleteBucket)
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} label={`Delete ${name}`} />}
      title={`Delete the registration of ${name}?`}
      description="The bucket and its objects stay. gpuq forgets the keys. Projects must not use the bucket any more."
      confirmLabel="Delete"
      onConfirm={() => mutateAsync(name)}
    />
  )
}
