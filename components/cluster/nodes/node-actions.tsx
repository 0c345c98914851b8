import { useMutation } from '@tanstack/react-query'
import { Pause, Play, ShieldCheck, Trash2 } from 'lucide-react'
import { forgetNode, updateNode } from '@/components/queries/cluster'
import type { ClusterNode } from '@/lib/contract/cluster/cluster'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { toast, toastOutcome } from '../../ui/toaster'
import { PauseForm } from '../pause-form'

/** The admin actions for a node. */
export function NodeActions({ node }: { node: ClusterNode }) {
  const { mutate, isPending } = useMutation(updateNode)
  const undo = (change: { paused: false } | { quarantined: false }, message: string) =>
    mutate({ number: node.node_id, ...change }, toastOutcome(message))
  if (node.state === 'quarantined') {
    return (
      <Button
        icon={ShieldCheck}
        target={`of ${node.name}`}
        size="sm"
        loading={isPending}
        onClick={() => undo({ quarantined: false }, `${node.name} left quarantine`)}
      >
        End quarantine
      </Button>
    )
  }
  if (node.state === 'paused') {
    return (
      <Button
        icon={Play}
        target={node.name}
        size="sm"
        loading={isPending}
        onClick={() => undo({ paused: false }, `${node.name} accepts jobs again`)}
      >
        Resume
      </Button>
    )
  }
  return (
    <>
      {isGone(node) ? <ForgetNode node={node} /> : null}
      <PauseNode node={node} />
    </>
  )
}

/** No worker serves the node. Simulated nodes are removed in their own dialog. */
function isGone({ state, simulated }: ClusterNode): boolean {
  return !simulated && (state === 'lost' || state === 'drained')
}

function ForgetNode({ node }: { node: ClusterNode }) {
  const { mutateAsync } = useMutation(forgetNode)
  return (
    <ConfirmDialog
      title={`Forget ${node.name}?`}
      description="gpuq removes the node and its GPUs from this page, and ends a pause or quarantine. Past jobs keep its name. If a worker serves it again, it returns."
      confirmLabel="Forget node"
      keepLabel="Keep node"
      trigger={
        <Button icon={Trash2} target={node.name} size="sm">
          Forget
        </Button>
      }
      onConfirm={async () => {
        await mutateAsync(node.node_id)
        toast.success(`${node.name} forgotten`)
      }}
    />
  )
}

function PauseNode({ node }: { node: ClusterNode }) {
  const { mutateAsync } = useMutation(updateNode)
  return (
    <Dialog
      title={`Pause ${node.name}?`}
      description="No new job starts there. Running jobs finish."
      trigger={
        <Button icon={Pause} target={node.name} size="sm">
          Pause
        </Button>
      }
    >
      {(close) => (
        <PauseForm
          hint="Shown with the node and with jobs that wait for it."
          submitLabel="Pause node"
          onPause={async (reason) => {
            await mutateAsync({ number: node.node_id, paused: true, ...reason })
            toast.success(`${node.name} paused`)
            close()
          }}
        />
      )}
    </Dialog>
  )
}
