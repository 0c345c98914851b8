'use client'

import { useMutation } from '@tanstack/react-query'
import { Pause, Play, ShieldCheck, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { forgetNode, updateNode } from '@/components/queries/cluster'
import type { ClusterNode } from '@/lib/contract/cluster'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { toast } from '../../ui/toaster'
import { PauseForm } from '../pause-form'

/** What an admin can do with a node. */
export function NodeActions({ node }: { node: ClusterNode }) {
  const { mutate, isPending } = useMutation(updateNode)
  const takeBack = (change: { paused: false } | { quarantined: false }, done: string) =>
    mutate(
      { number: node.node_id, ...change },
      {
        onSuccess: () => toast.success(done),
        onError: (error) => toast.error(error.message),
      },
    )
  if (node.state === 'quarantined') {
    return (
      <Button
        size="sm"
        loading={isPending}
        onClick={() => takeBack({ quarantined: false }, `The quarantine of ${node.name} has ended`)}
      >
        <ShieldCheck aria-hidden />
        End the quarantine
        <span className="sr-only"> of {node.name}</span>
      </Button>
    )
  }
  if (node.state === 'paused') {
    return (
      <Button
        size="sm"
        loading={isPending}
        onClick={() => takeBack({ paused: false }, `${node.name} takes jobs again`)}
      >
        <Play aria-hidden />
        Resume
        <span className="sr-only"> {node.name}</span>
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

/** No worker serves it, and one may never do so again. Simulated nodes are taken away where they are made. */
function isGone({ state, simulated }: ClusterNode): boolean {
  return !simulated && (state === 'lost' || state === 'drained')
}

function ForgetNode({ node }: { node: ClusterNode }) {
  const { mutateAsync } = useMutation(forgetNode)
  return (
    <ConfirmDialog
      title={`Forget ${node.name}?`}
      description="It leaves this page with its GPUs, and a pause or a quarantine ends. Past jobs go on naming it. Once a worker serves it again, it is back."
      confirmLabel="Forget the node"
      keepLabel="Keep it"
      trigger={
        <Button size="sm">
          <Trash2 aria-hidden />
          Forget
          <span className="sr-only"> {node.name}</span>
        </Button>
      }
      onConfirm={async () => {
        await mutateAsync(node.node_id)
        toast.success(`${node.name} is forgotten`)
      }}
    />
  )
}

function PauseNode({ node }: { node: ClusterNode }) {
  const [open, setOpen] = useState(false)
  const { mutateAsync } = useMutation(updateNode)
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title={`Pause ${node.name}?`}
      description="Nothing new starts there. Jobs that run finish."
      trigger={
        <Button size="sm">
          <Pause aria-hidden />
          Pause
          <span className="sr-only"> {node.name}</span>
        </Button>
      }
    >
      <PauseForm
        hint="Shown beside the node, and to jobs that wait for it."
        send="Pause the node"
        onPause={async (reason) => {
          await mutateAsync({ number: node.node_id, paused: true, ...reason })
          toast.success(`${node.name} is paused`)
          setOpen(false)
        }}
      />
    </Dialog>
  )
}
